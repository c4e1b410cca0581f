"""Ports that servers are to listen at."""

import socket

from orchestration.config.settings import SettingsError


def require_free(port: int, host: str = "127.0.0.1", *, option: str = "--port") -> None:
    """Make sure of a port before its server starts: not every server says that it has none.

    `option` is that of the command which names another one.

    Raises:
        SettingsError: something else listens there, or the address is not of this machine.
    """
    try:
        with socket.create_server((host, port), family=_family(host)):
            pass
    except OSError as error:
        # Python goes on with what it was about.
        why = str(error.strerror).partition(" (while")[0]
        raise SettingsError(
            f"Port {port} cannot be used: {why}. Choose another with {option}."
        ) from error


def free_port(wanted: int) -> int:
    """The wanted port on loopback, or any other if something listens there."""
    try:
        require_free(wanted)
    except SettingsError:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port: int = server.getsockname()[1]
            return port
    return wanted


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
