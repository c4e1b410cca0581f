"""Celery's configuration of a worker; its folder is in PYTHONPATH."""

import os

broker_url = os.environ["SPOTTER_CELERY_BROKER"]
result_backend = os.environ["SPOTTER_CELERY_BACKEND"]
# A worker takes one task and acknowledges it at the end.
task_acks_late = True
worker_prefetch_multiplier = 1
# Longer than the longest run: Redis would deliver its task once more.
broker_transport_options = {"visibility_timeout": 3 * 3600}
