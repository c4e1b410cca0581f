"""Cache of dbt's compiled Jinja templates on disk.

dbt compiles the templates of all macros, models and tests in each process: a sixth of a build's
time. Their code depends only on their source and on the versions of Jinja and Python.
"""

import hashlib
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from types import CodeType
from typing import Any

from orchestration.config.durable_files import replace_file


@contextmanager
def cached_templates(path: Path, project_digest: str) -> Iterator[None]:
    """Let dbt take compiled templates from the file `path`, and store new ones at the end.

    The file is valid for one project, so that templates of removed models do not accumulate. It is
    not written if its folder is read-only, nor after an exception.
    """
    from dbt_common.clients.jinja import MacroFuzzEnvironment

    header = _header(project_digest)
    known = _read(path, header)
    count = len(known)
    compile_template: Callable[..., Any] = MacroFuzzEnvironment.compile

    def compile_once(
        self: Any,
        source: Any,
        name: str | None = None,
        filename: str | None = None,
        raw: bool = False,
        defer_init: bool = False,
    ) -> Any:
        is_plain = (name, filename, raw, defer_init) == (None, None, False, False)
        if not (is_plain and isinstance(source, str)):
            return compile_template(self, source, name, filename, raw, defer_init)
        # The native environment generates different code.
        key = (type(self).__name__, source)
        if key not in known:
            known[key] = compile_template(self, source)
        return known[key]

    MacroFuzzEnvironment.compile = compile_once  # type: ignore[method-assign]
    try:
        yield
    finally:
        MacroFuzzEnvironment.compile = compile_template  # type: ignore[method-assign]
    if len(known) > count and os.access(path.parent, os.W_OK):
        content = marshal.dumps(known)
        replace_file(path, header + hashlib.sha256(content).digest() + content)


def _header(project_digest: str) -> bytes:
    """Return the digest of all that determines the code of a template, except its source."""
    determining = f"{sys.version} {version('jinja2')} {version('dbt-common')} {project_digest}"
    return hashlib.sha256(determining.encode()).digest()


def _read(path: Path, header: bytes) -> dict[tuple[str, str], CodeType]:
    """Return the stored templates; none if the file is missing, outdated, damaged or unreadable."""
    try:
        content = path.read_bytes()
    except OSError:
        return {}
    stored, digest, code = content[:32], content[32:64], content[64:]
    if stored != header or hashlib.sha256(code).digest() != digest:
        return {}
    known: dict[tuple[str, str], CodeType] = marshal.loads(code)  # noqa: S302 - verified above
    return known
