# One image, three servers: `spotter serve code|daemon|ui`. compose.yaml has them together.
FROM python:3.12-slim-bookworm AS built

WORKDIR /opt/spotter
COPY requirements.lock pyproject.toml ./
RUN python -m venv .venv \
    && .venv/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check \
       --require-hashes --only-binary :all: -r requirements.lock
COPY . .
# What a start would otherwise write is made here: the image is read-only when it runs.
RUN .venv/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check --no-deps \
       --no-build-isolation --editable . \
    && .venv/bin/python -m compileall -q .venv/lib hevy_connector health_connector coach_agent orchestration \
        dashboard \
    && .venv/bin/python -c 'from orchestration.dbt.runner import ensure_semantic_manifest as parse; parse()'

FROM python:3.12-slim-bookworm

RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data spotter \
    && install --directory --owner spotter --group spotter /data
COPY --from=built /opt/spotter /opt/spotter
ENV PATH=/opt/spotter/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/data \
    SPOTTER_HOME=/data/home \
    SPOTTER_ATHLETES_DIR=/data/athletes
WORKDIR /data
USER 10001:10001
VOLUME /data
EXPOSE 3000
ENTRYPOINT ["spotter"]
CMD ["serve", "ui", "--host", "0.0.0.0"]
