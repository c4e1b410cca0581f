"""Read the project's file `.env`, and set a variable in it."""

import codecs
import fcntl
import os
import re
from io import StringIO
from pathlib import Path

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from orchestration.config.durable_files import replace_file


class EnvFileError(Exception):
    """The file cannot be read or written; the message has the line number, not its content."""


def read_env_file(path: Path) -> dict[str, str]:
    """Return the variables of the file, in UTF-8 or UTF-16; empty without a file.

    Raises:
        EnvFileError: it cannot be read, or a line is invalid. Its content may be a key and is not
            part of the message.
    """
    if not path.exists() or path.is_dir():
        return {}
    text, _ = _decode(path)
    return variables_in(text, str(path))


def variables_in(text: str, source: str) -> dict[str, str]:
    """Parse the non-empty variables of a text in `.env` format; errors name its `source`.

    Raises:
        EnvFileError: a line is invalid; its content is not part of the message.
    """
    for line in parse_stream(StringIO(text)):
        if line.error:
            raise EnvFileError(
                f"{source}, line {line.original.line} is no setting: write NAME=value, with a "
                "quote at both ends of the value or at none."
            )
    return {name: value for name, value in dotenv_values(stream=StringIO(text)).items() if value}


def set_in_env_file(path: Path, name: str, value: str) -> None:
    """Set a variable in the file, preserving all other lines and the encoding.

    `value` has no quotes and no spaces. The file is replaced atomically. A lock of its
    folder prevents two processes or threads from losing each other's change.

    Raises:
        EnvFileError: it cannot be read or written; it is unchanged.
    """
    known = re.compile(rf"^(?:export[ \t]+)?{re.escape(name)}[ \t]*=[^\r\n]*", re.MULTILINE)
    setting = f"{name}={value}"
    try:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            text, encoding = _decode(path) if path.exists() else ("", "utf-8")
            if known.search(text):
                text = known.sub(lambda _: setting, text)
            else:
                text += f"{'' if not text or text.endswith(chr(10)) else chr(10)}{setting}\n"
            replace_file(path, text.encode(encoding))
        finally:
            os.close(folder)
    except OSError as error:
        raise EnvFileError(f"{path} cannot be written: {error.strerror}.") from None


def _decode(path: Path) -> tuple[str, str]:
    """Return the text and the encoding of the file."""
    try:
        content = path.read_bytes()
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encoding = "utf-16"
        else:
            encoding = "utf-8-sig" if content.startswith(codecs.BOM_UTF8) else "utf-8"
        return content.decode(encoding), encoding
    except OSError as error:
        raise EnvFileError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise EnvFileError(f"{path} is no UTF-8 text: save it as UTF-8.") from None
