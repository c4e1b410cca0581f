"""`spotter simulator`: serve a simulated Hevy account."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from hevy_connector.simulator import (
    SIMULATOR_KEY,
    FaultRuleError,
    QuirkError,
    StateFileError,
    demo_service,
    serve,
)
from orchestration.cli.views import terminal
from orchestration.config.settings import SettingsError


def simulator(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on loopback; 0: a free one.")
    ] = 0,
    profile: Annotated[
        str,
        typer.Option(
            metavar="live|spec",
            help="Follow the live service or its specification.",
        ),
    ] = "live",
    quirk: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Change a setting of the profile; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the athlete's history.")] = 1,
    workouts: Annotated[
        int | None,
        typer.Option(min=0, max=100_000, help="Number of past workouts; 0: new account."),
    ] = None,
    latency: Annotated[
        float,
        typer.Option(
            min=0, max=600_000, metavar="MS", help="Delay of each answer in milliseconds."
        ),
    ] = 0,
    fail: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Inject failures (see below); repeatable."),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            dir_okay=False,
            help="Load and save the account in this file.",
        ),
    ] = None,
    now: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%dT%H:%M:%S"], help="Freeze the clock at this time (UTC)."),
    ] = None,
) -> None:
    """Serve a simulated Hevy account until Ctrl-C.

    It has 16 weeks of training. Use it with HEVY_API_URL=<the URL it prints>. Without --state it is
    in memory only.

    A RULE is a failure and its conditions, for example "429 every=3 retry-after=2" or "reset after
    method=PUT times=1". It starts with a status of 400 to 599, reset, timeout, timeout=S, truncate,
    slow=S, duplicate or drift=add|edit|delete. Optional: after, path=GLOB, method=M, one of nth=N,
    every=N and chance=P, and times=N. docs/simulator.md explains them and the quirks.
    """
    try:
        service = demo_service(
            api_key=SIMULATOR_KEY,
            seed=seed,
            now=now.replace(tzinfo=UTC) if now else None,
            workouts=workouts,
            state_path=state,
            profile=profile,
            quirks=quirk or (),
            faults=fail or (),
            latency_s=latency / 1000,
        )
    except (FaultRuleError, QuirkError, StateFileError) as error:
        raise SettingsError(str(error)) from error

    def announce(url: str) -> None:
        terminal.console.print(
            f"Hevy simulator at {url}, key {SIMULATOR_KEY}; Ctrl-C ends it.", soft_wrap=True
        )

    try:
        serve(service, port=port, on_started=announce)
    except OSError as error:
        raise SettingsError(
            f"Port {port} cannot be used: {error.strerror}. Choose another with --port."
        ) from error
