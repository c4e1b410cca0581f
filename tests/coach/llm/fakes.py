"""Servers on loopback that speak each provider's wire protocol and follow a script."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Body = dict[str, Any]
Kind = Literal["google", "anthropic", "openai", "compatible"]
Stop = Literal["end", "safety", "refusal", "max_tokens"]

KINDS: tuple[Kind, ...] = ("google", "anthropic", "openai", "compatible")
KEY = "sk-fake-0123456789abcdef"


@dataclass(frozen=True)
class Say:
    """An answer. `wait_s` passes before it; `drip_s` is how long its bytes take to come."""

    text: str
    stop: Stop = "end"
    wait_s: float = 0.0
    drip_s: float = 0.0


@dataclass(frozen=True)
class Fail:
    """An HTTP error. In its body `KEY` is replaced by the key of the request."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None


@dataclass(frozen=True)
class Raw:
    """Any bytes as a good answer."""

    content: bytes


Step = Say | Fail | Raw


@dataclass(frozen=True)
class Received:
    """One request as it arrived; the header names are lower case."""

    path: str
    headers: Mapping[str, str]
    body: Body

    @property
    def key(self) -> str:
        """The key that it was sent with, in whichever header."""
        return (
            self.headers.get("x-goog-api-key")
            or self.headers.get("x-api-key")
            or self.headers.get("authorization", "").removeprefix("Bearer ")
        )


@dataclass
class FakeProvider:
    """A running server: where it is, and what it was sent so far."""

    kind: Kind
    port: int
    requests: list[Received] = field(default_factory=list)

    @property
    def base_url(self) -> str:
        """The address for the settings."""
        address = f"http://127.0.0.1:{self.port}"
        return address if self.kind in {"google", "anthropic"} else f"{address}/v1"

    def said(self, index: int) -> str:
        """Return the whole prompt of the request with this index, in the order of the wire."""
        return _told(self.kind, self.requests[index].body)


@contextmanager
def fake_provider(kind: Kind, *script: Step) -> Iterator[FakeProvider]:
    """A server that takes one step for each request; the last step is repeated."""
    over = threading.Event()
    server = _Server(("127.0.0.1", 0), BaseHTTPRequestHandler)
    fake = FakeProvider(kind, server.server_address[1])
    server.RequestHandlerClass = _handler(fake, script, over)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        over.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that give up: some tests check exactly that."""


def _handler(
    fake: FakeProvider, script: Sequence[Step], over: threading.Event
) -> type[BaseHTTPRequestHandler]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with lock:
                number = len(fake.requests)
                fake.requests.append(Received(self.path, headers, body))
            step = script[min(number, len(script) - 1)]
            if isinstance(step, Fail):
                content = json.dumps(step.body or {"error": {"message": "no"}})
                self._send(
                    step.status,
                    content.replace("KEY", fake.requests[number].key).encode(),
                    step.headers,
                )
            elif isinstance(step, Raw):
                self._send(200, step.content, {})
            else:
                over.wait(step.wait_s)
                answer = _ANSWERS[fake.kind](
                    step, _model(self.path, body), *_usage(fake, number, step)
                )
                self._send(200, json.dumps(answer).encode(), {}, step.drip_s)

        def _send(
            self, status: int, content: bytes, headers: Mapping[str, str], drip_s: float = 0.0
        ) -> None:
            try:
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                pieces = [content] if not drip_s else [bytes([byte]) for byte in content]
                for piece in pieces:
                    self.wfile.write(piece)
                    self.wfile.flush()
                    if over.wait(drip_s / len(pieces)):
                        return
            except OSError:  # the client gave up
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    return Handler


def _model(path: str, body: Body) -> str:
    """The model that a request is for: Gemini's has it in its path."""
    return str(body.get("model") or path.rpartition("/")[2].partition(":")[0])


def tokens(text: str) -> int:
    """About as many tokens as a text has."""
    return -(-len(text) // 4)


def _usage(fake: FakeProvider, number: int, step: Say) -> tuple[int, int, int]:
    """Tokens read, of them cached, and written; cached is the longest beginning sent before."""
    told = fake.said(number)
    before = [fake.said(index) for index in range(number)]
    common = max((_common_prefix(told, each) for each in before), default=0)
    return tokens(told), common // 4, tokens(step.text)


def _common_prefix(one: str, other: str) -> int:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


def _told(kind: Kind, body: Body) -> str:
    if kind == "google":
        parts = [*body.get("systemInstruction", {}).get("parts", [])]
        parts += [part for content in body["contents"] for part in content["parts"]]
        return "\n".join(part.get("text", "") for part in parts)
    texts: list[str] = []
    if kind == "anthropic":
        texts += _texts(body.get("system", ""))
    for message in body["messages"]:
        texts += _texts(message.get("content") or "")
    return "\n".join(texts)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [part.get("text", "") for part in content]


def _google(step: Say, model: str, read: int, cached: int, written: int) -> Body:
    candidate: Body = {
        "content": {"role": "model", "parts": [{"text": step.text}]},
        "finishReason": {"end": "STOP", "safety": "SAFETY", "refusal": "PROHIBITED_CONTENT"}.get(
            step.stop, "MAX_TOKENS"
        ),
        "index": 0,
    }
    if step.stop in {"safety", "refusal"}:
        del candidate["content"]
    return {
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": read,
            "cachedContentTokenCount": cached,
            "candidatesTokenCount": written,
            "thoughtsTokenCount": 10,
            "totalTokenCount": read + written + 10,
        },
        "modelVersion": model,
        "responseId": "answer",
    }


def _anthropic(step: Say, model: str, read: int, cached: int, written: int) -> Body:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": step.text}] if step.stop != "refusal" else [],
        "stop_reason": {"end": "end_turn", "max_tokens": "max_tokens"}.get(step.stop, "refusal"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": read - cached,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": written,
        },
    }


def _openai(step: Say, model: str, read: int, cached: int, written: int) -> Body:
    message: Body = {"role": "assistant", "content": step.text}
    if step.stop == "refusal":
        message = {"role": "assistant", "content": None, "refusal": "I cannot do that."}
    reasons = {"max_tokens": "length", "safety": "content_filter"}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": model,
        "choices": [
            {"index": 0, "message": message, "finish_reason": reasons.get(step.stop, "stop")}
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": 10},
        },
    }


_Answer = Callable[[Say, str, int, int, int], Body]
_ANSWERS: dict[Kind, _Answer] = {
    "google": _google,
    "anthropic": _anthropic,
    "openai": _openai,
    "compatible": _openai,
}
