"""The `spotter` command in its own process, with all imports preloaded."""

import atexit
import importlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

_FORKING = multiprocessing.get_context("forkserver")
# Importing and parsing take a third of a night, and nearly all of a short command.
_FORKING.set_forkserver_preload(["tests.end_to_end.preloaded"])


def run_command(
    arguments: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    given: str | None,
    timeout_s: float,
    program: str = "orchestration.cli.app:main",
) -> subprocess.CompletedProcess[str]:
    """Run `spotter` like a shell; `given` is its standard input.

    `program` is the function that runs instead, as `module:name`.
    """
    with _started(program, arguments, env, cwd, given) as (process, folder):
        process.join(timeout_s)
        if process.exitcode is None:
            raise subprocess.TimeoutExpired(["spotter", *arguments], timeout_s)
        return subprocess.CompletedProcess(
            ["spotter", *arguments],
            process.exitcode,
            (folder / "out").read_text(encoding="utf-8"),
            (folder / "err").read_text(encoding="utf-8"),
        )


@contextmanager
def started_command(
    arguments: Sequence[str], *, env: Mapping[str, str], cwd: Path
) -> Iterator[BaseProcess]:
    """Start `spotter`; at the end it is killed if it still runs, and its output is discarded."""
    with _started("orchestration.cli.app:main", arguments, env, cwd, None) as (process, _):
        yield process


@contextmanager
def _started(
    program: str, arguments: Sequence[str], env: Mapping[str, str], cwd: Path, given: str | None
) -> Iterator[tuple[BaseProcess, Path]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").write_text(given or "", encoding="utf-8")
        process = _FORKING.Process(target=_main, args=(program, arguments, dict(env), cwd, folder))
        process.start()
        try:
            yield process, folder
        finally:
            if process.exitcode is None:
                process.kill()
            process.join()


def _main(
    program: str, arguments: Sequence[str], env: Mapping[str, str], cwd: Path, folder: Path
) -> None:
    """Become the command: its environment, its folder, its arguments and its streams."""
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = ["spotter", *arguments]
    # A program without a file looks like an interactive DuckDB, which draws progress bars.
    sys.modules["__main__"].__file__ = str(Path(sys.executable).with_name("spotter"))
    for number, file in enumerate(("in", "out", "err")):
        flags = os.O_RDONLY if file == "in" else os.O_WRONLY | os.O_CREAT
        os.dup2(os.open(folder / file, flags), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    from orchestration.cli.views import terminal

    # Rich measured the terminal at import: that of the process this one is forked from.
    importlib.reload(terminal)
    module, _, name = program.partition(":")
    try:
        getattr(importlib.import_module(module), name)()
    finally:
        atexit._run_exitfuncs()
