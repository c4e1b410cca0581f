"""The job that runs an athlete's request from a page."""

from datetime import UTC, datetime

import dagster as dg
from pydantic import ValidationError

from orchestration.config.settings import load_settings
from orchestration.services.requests.athlete_requests import (
    JOB,
    REQUEST_TAG,
    STEP,
    RequestError,
    carry_out,
    read_request,
)
from orchestration.services.requests.request_signing import (
    SignatureError,
    SignedRequest,
    check_signature,
    mark_spent,
    request_key,
)


class RequestConfig(dg.Config):
    """A request as JSON, its home, and the signature of the dashboard.

    Fields without defaults would break runs queued before an upgrade.
    """

    request: str
    home: str
    request_id: str = ""
    sent_at_s: int = 0
    signature: str = ""


@dg.op(name=STEP, description="Run an athlete's request by Spotter's commands.")
def carry_out_request(context: dg.OpExecutionContext, config: RequestConfig) -> None:
    """Run a request; of a request sent twice only the first run has an effect.

    Raises:
        dg.Failure: it failed, or the dashboard of this home has not signed it; the description has
            the reason.
    """
    settings = load_settings()
    if config.home != str(settings.home):
        raise _failure(
            f"This Dagster serves {settings.home}, not {config.home}. Set SPOTTER_DAGSTER_URL."
        )
    now = datetime.now(UTC)
    signed = SignedRequest(config.request, config.request_id, config.home, config.sent_at_s)
    try:
        check_signature(signed, config.signature, request_key(settings.home), now)
        if context.run.tags.get(REQUEST_TAG) != config.request_id:
            raise SignatureError("Its run has the tag of another request.")
        same = context.instance.get_runs(dg.RunsFilter(tags={REQUEST_TAG: config.request_id}))
        # Newest first.
        if same and same[-1].run_id != context.run_id:
            context.log.info("Already run by %s.", same[-1].run_id)
            return
        mark_spent(settings.home, config.request_id, now)
    except SignatureError as error:
        raise _failure(str(error)) from error
    try:
        carry_out(settings, read_request(config.request), context.log.info)
    except ValidationError as error:
        raise _failure(f"It is no request: {error}") from error
    except RequestError as error:
        raise _failure(str(error)) from error


def _failure(why: str) -> dg.Failure:
    return dg.Failure(description=why, allow_retries=False)


@dg.definitions
def defs() -> dg.Definitions:
    """The job that pages launch."""

    @dg.job(
        name=JOB,
        description="Run an athlete's request from a page: check in, approve, correct, import.",
    )
    def athlete_request() -> None:
        carry_out_request()

    return dg.Definitions(jobs=[athlete_request])
