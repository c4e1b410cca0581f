"""What an athlete asks for on a page, as a job."""

import dagster as dg
from pydantic import ValidationError

from orchestration.lib.athlete_requests import (
    JOB,
    REQUEST_TAG,
    STEP,
    RequestError,
    carry_out,
    read_request,
)
from orchestration.lib.settings import load_settings


class AskedFor(dg.Config):
    """A request as JSON, and the home that it is meant for."""

    request: str
    home: str


@dg.op(name=STEP, description="Do what an athlete asked for on a page, by Spotter's commands.")
def carry_out_request(context: dg.OpExecutionContext, config: AskedFor) -> None:
    """Of a request that was sent twice only the first run does anything.

    Raises:
        dg.Failure: it was not carried out; the description says why in a sentence.
    """
    settings = load_settings()
    if config.home != str(settings.home):
        raise _failure(
            f"This Dagster serves {settings.home}, not {config.home}. Set SPOTTER_DAGSTER_URL."
        )
    request_id = context.run.tags.get(REQUEST_TAG)
    if request_id is not None:
        same = context.instance.get_runs(dg.RunsFilter(tags={REQUEST_TAG: request_id}))
        # The newest comes first.
        if same and same[-1].run_id != context.run_id:
            context.log.info("Run %s carries it out.", same[-1].run_id)
            return
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
        description="Do what an athlete asked for on a page: check in, approve, correct, import.",
    )
    def athlete_request() -> None:
        carry_out_request()

    return dg.Definitions(jobs=[athlete_request])
