"""The `spotter` command in a process of its own, which begins with everything imported."""

import atexit
import importlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_FORKING = multiprocessing.get_context("forkserver")
# A third of a night, and nearly all of a short command, is importing and parsing.
_FORKING.set_forkserver_preload(["tests.end_to_end.preloaded"])


def run_command(
    arguments: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    given: str | None,
    timeout_s: float,
) -> subprocess.CompletedProcess[str]:
    """Run `spotter` as a shell would; `given` is what it reads from its input."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").write_text(given or "", encoding="utf-8")
        process = _FORKING.Process(target=_main, args=(arguments, dict(env), cwd, folder))
        process.start()
        process.join(timeout_s)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(["spotter", *arguments], timeout_s)
        return subprocess.CompletedProcess(
            ["spotter", *arguments],
            process.exitcode,
            (folder / "out").read_text(encoding="utf-8"),
            (folder / "err").read_text(encoding="utf-8"),
        )


def _main(arguments: Sequence[str], env: Mapping[str, str], cwd: Path, folder: Path) -> None:
    """Become the command: its environment, its folder, its arguments and its streams."""
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = ["spotter", *arguments]
    # A program without a file is somebody's prompt to DuckDB, which draws progress on it.
    sys.modules["__main__"].__file__ = str(Path(sys.executable).with_name("spotter"))
    for number, file in enumerate(("in", "out", "err")):
        flags = os.O_RDONLY if file == "in" else os.O_WRONLY | os.O_CREAT
        os.dup2(os.open(folder / file, flags), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    from orchestration.cli import main
    from orchestration.lib import terminal

    # It measured the terminal when it was imported: that of the process this one is forked from.
    importlib.reload(terminal)
    try:
        main()
    finally:
        atexit._run_exitfuncs()
