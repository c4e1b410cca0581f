"""A model on loopback with the protocol of OpenAI or Anthropic, scripted by a function of the
conversation.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
_DATA = re.compile(r'<data name="(\w+)">\n(.*?)\n</data>', re.DOTALL)


@dataclass(frozen=True)
class Seen:
    """What the model was sent: its tools, and the texts of messages and results."""

    body: Json

    @property
    def results(self) -> list[tuple[str, Any]]:
        """The results of its calls: kind and content."""
        contents = [each["content"] for each in self.body["messages"] if each["role"] == "tool"]
        return [(kind, json.loads(data)) for text in contents for kind, data in _DATA.findall(text)]

    @property
    def lines(self) -> dict[int, str]:
        """The lines of all results by number."""
        return {
            int(number): text
            for kind, content in self.results
            if kind == "result"
            for number, text in content["lines"].items()
        }

    @property
    def tools(self) -> list[str]:
        """The names of the tools that it may call."""
        return [each["function"]["name"] for each in self.body["tools"]]

    @property
    def turn(self) -> int:
        """The number of its answers before."""
        return sum(each["role"] == "assistant" for each in self.body["messages"])

    def line(self, part: str) -> int:
        """Return the number of the only line with a text."""
        [number] = [number for number, text in self.lines.items() if part in text]
        return number


Turn = Callable[[Seen], Json | bytes]


def calls(*calls: tuple[str, Mapping[str, Any]]) -> Json:
    """Return a message that calls tools."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"call-{at}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for at, (name, arguments) in enumerate(calls)
        ],
    }


def answers(*claims: tuple[str, Sequence[int]], is_complete: bool = True, **more: Any) -> Json:
    """Return the message with the answer."""
    told = [{"says": says, "lines": list(lines)} for says, lines in claims]
    return calls(("answer", {"claims": told, "is_complete": is_complete, **more}))


def reads(*wanted: tuple[str, Mapping[str, Any]], then: Callable[[Seen], Json]) -> Turn:
    """Call tools in the first turn, and answer in the others."""
    return lambda seen: calls(*wanted) if not seen.turn else then(seen)


@dataclass
class ScriptedModel:
    """A running server with its requests."""

    port: int
    seen: list[Seen] = field(default_factory=list)

    @property
    def settings(self) -> Json:
        """The table `[llm]` of a profile that uses it."""
        url = f"http://127.0.0.1:{self.port}/v1"
        price = {"liar": {"input": 1.0, "output": 1.0}}
        provider = {"kind": "compatible", "base_url": url, "cheap": "liar", "prices": price}
        return {"providers": [provider], "attempts": 2, "time_budget_s": 20}


@contextmanager
def scripted_model(turn: Turn) -> Iterator[ScriptedModel]:
    """Serve until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    model = ScriptedModel(server.server_address[1])
    server.RequestHandlerClass = _handler(model, turn)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(model: ScriptedModel, turn: Turn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            is_anthropic = self.path.endswith("/messages")
            seen = Seen(_of_anthropic(body) if is_anthropic else body)
            model.seen.append(seen)
            said = turn(seen)
            as_json = _anthropic_message if is_anthropic else _completion
            content = said if isinstance(said, bytes) else json.dumps(as_json(said)).encode()
            try:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:  # the client gave up
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    return Handler


def _completion(message: Json) -> Json:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": "liar",
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
            }
        ],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    }


def _of_anthropic(body: Json) -> Json:
    """Return the conversation in OpenAI's form, as far as `Seen` reads it."""
    messages: list[Json] = []
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        results = [each for each in blocks if each["type"] == "tool_result"]
        if not results:
            messages.append({"role": message["role"], "content": json.dumps(blocks)})
        for each in results:
            told = each["content"]
            text = told if isinstance(told, str) else "".join(part["text"] for part in told)
            messages.append({"role": "tool", "content": text})
    tools = [{"function": {"name": each["name"]}} for each in body.get("tools", [])]
    return {**body, "messages": messages, "tools": tools}


def _anthropic_message(message: Json) -> Json:
    blocks: list[Json] = [
        {
            "type": "tool_use",
            "id": each["id"],
            "name": each["function"]["name"],
            "input": json.loads(each["function"]["arguments"]),
        }
        for each in message.get("tool_calls", ())
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "liar",
        "content": blocks or [{"type": "text", "text": message["content"]}],
        "stop_reason": "tool_use" if blocks else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 100},
    }
