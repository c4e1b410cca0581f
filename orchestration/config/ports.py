"""Check the ports of servers."""

import socket

from orchestration.config.settings import SettingsError


def require_free(port: int, host: str = "127.0.0.1", *, option: str = "--port") -> None:
    """Require a free port before its server starts: not every server reports a used one.

    `option` is the command's option for another port.

    Raises:
        SettingsError: the port is in use, or the address is not of this machine.
    """
    try:
        with socket.create_server((host, port), family=_family(host)):
            pass
    except OSError as error:
        # Python appends its own context to the message.
        why = str(error.strerror).partition(" (while")[0]
        raise SettingsError(
            f"Port {port} cannot be used: {why}. Choose another with {option}."
        ) from error


def free_port(wanted: int) -> int:
    """Return the wanted port on loopback, or a free one if it is in use."""
    try:
        require_free(wanted)
    except SettingsError:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port: int = server.getsockname()[1]
            return port
    return wanted


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
