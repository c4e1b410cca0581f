"""Receivers of notifications in tests: a mail server and an HTTP service on loopback."""

import base64
import json
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class MailSink:
    """A mail server that accepts any login; `logins` are the decoded credentials."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)


@dataclass
class HttpSink:
    """A service that returns `status` to all requests; while `is_silent` it never answers."""

    port: int = 0
    status: int = 200
    is_silent: bool = False
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    released: Event = field(default_factory=Event)


@contextmanager
def mail_sink() -> Iterator[MailSink]:
    sink = MailSink()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.say("220 sink ESMTP")
            while line := self.rfile.readline():
                verb, _, rest = line.decode().strip().partition(" ")
                if verb.upper() == "EHLO":
                    self.say("250-sink")
                    self.say("250 AUTH PLAIN")
                elif verb.upper() == "AUTH":
                    sink.logins.append(base64.b64decode(rest.split()[-1]).decode())
                    self.say("235 fine")
                elif verb.upper() == "DATA":
                    self.say("354 go on")
                    sink.mails.append(message_from_bytes(self.data(), policy=default))
                    self.say("250 kept")
                elif verb.upper() == "QUIT":
                    self.say("221 bye")
                    return
                else:
                    self.say("250 fine")

        def say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

        def data(self) -> bytes:
            lines = []
            while (line := self.rfile.readline()) not in {b".\r\n", b""}:
                lines.append(line)
            return b"".join(lines)

    with _served(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)) as port:
        sink.port = port
        yield sink


@contextmanager
def http_sink(*, status: int = 200, is_silent: bool = False) -> Iterator[HttpSink]:
    sink = HttpSink(status=status, is_silent=is_silent)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            sink.requests.append((self.path, dict(self.headers), json.loads(body)))
            if sink.is_silent:
                sink.released.wait(60)
                return
            self.send_response(sink.status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"id": "1", "event": "message"}')

        def log_message(self, *_: object) -> None:
            """Log nothing: the requests are kept instead."""

    with _served(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        sink.port = port
        try:
            yield sink
        finally:
            sink.released.set()


@contextmanager
def _served(server: socketserver.TCPServer) -> Iterator[int]:
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
