import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.service import pss_bytes


@pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="memory is only told by Linux"
)
def test_the_memory_of_a_process_has_that_of_those_it_started() -> None:
    program = "held = bytearray(100_000_000); print('ready', flush=True); input()"
    before = pss_bytes(os.getpid())
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == b"ready\n"
        assert pss_bytes(os.getpid()) - before > 90_000_000
        process.stdin.write(b"\n")


def test_a_process_that_ended_has_no_memory() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
        assert pss_bytes(process.pid) == 0
