"""A fake Gemini server on loopback with valid answers, for demos and tests.

It parses the question from the blocks of data in the prompt, as a model would. Nothing leaves this
machine, and no key is needed.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

FAKE_KEY = "fake-key-for-loopback"

_DATA = re.compile(r'<data name="(\w+)">\n(.*?)\n</data>', re.DOTALL)
_CHARACTERS_A_TOKEN = 3.2
_SUMMARY = "Today we stay with the plan. Move every rep with control."
_REASONING = "Keep it up."
_INSIGHT = {"insight": "The workout went as it should.", "action": "Keep to the plan."}
_STALL = "The lift has been flat for a while."
_WEEK = {"highlights": ["You showed up."], "focus": "Go on like this."}


@dataclass
class FakeGemini:
    """A running fake: its port, and the prompts that it received."""

    port: int
    prompts: list[str] = field(default_factory=list)

    @property
    def base_url(self) -> str:
        """The address, for a provider of kind "google"."""
        return f"http://127.0.0.1:{self.port}"


def usual_answer(prompt: str) -> Json:
    """Return a plain answer to any question."""
    data = {name: json.loads(body) for name, body in _DATA.findall(prompt)}
    if "workout" in data:
        return {**_INSIGHT, "category": data["rules"]["category"]}
    if "lift" in data:
        return {"reason": _STALL, "fix_type": data["lift"]["allowed"][0]}
    if "week" in data:
        count = data["week"]["workouts"]
        return {"summary": f"{count} workouts this week. Well done.", **_WEEK}
    return plan_answer(prompt)


def plan_answer(prompt: str) -> Json:
    """Return a plain answer to the plan question: each block as proposed."""
    data = {name: json.loads(body) for name, body in _DATA.findall(prompt)}
    return {
        "slots": [
            {
                "slot": slot["slot"],
                "exercise": slot["id"],
                "blocks": _blocks(slot.get("blocks", []), slot["proposal"]),
                "reason": None,
                "cues": ["first_set"],
                "facts": ["last_time"],
            }
            for slot in data["windows"]
        ],
        "order": None,
        "summary": _SUMMARY,
        "adjustments": [],
        "reasoning": _REASONING,
    }


@contextmanager
def running_fake_gemini(
    port: int = 0, answer: Callable[[str], Json] = usual_answer
) -> Iterator[FakeGemini]:
    """Serve until the end of the block; port 0 takes a free one. `answer` gets the prompt."""
    server = ThreadingHTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler)
    fake = FakeGemini(server.server_address[1])
    server.RequestHandlerClass = _handler(fake, answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _answer_parts(body: Json, answer: Callable[[str], Json]) -> list[Json]:
    """Return the parts of a response: a call of a tool for a question in words, otherwise text.

    Such a question is answered by all lines of one tool.
    """
    prompt = _prompt(body)
    if '<data name="question">' not in prompt:
        text = json.dumps(answer(prompt), ensure_ascii=False, separators=(",", ":"))
        return [{"text": text}]
    said = [
        str(value)
        for content in body["contents"]
        for part in content["parts"]
        for value in part.get("functionResponse", {}).get("response", {}).values()
    ]
    if not said:
        return [{"functionCall": {"name": "get_progress", "args": {}}}]
    found = [json.loads(data) for kind, data in _DATA.findall("\n".join(said)) if kind == "result"]
    lines = [int(number) for result in found for number in result["lines"]][:6]
    claims = [{"says": "This is your progress.", "lines": lines}] if lines else []
    return [{"functionCall": {"name": "answer", "args": {"claims": claims, "is_complete": True}}}]


def _blocks(windows: Sequence[Json], proposal: str) -> list[Json]:
    """Split the proposal, "100:5,5 90:8", into the blocks of the windows."""
    sets = [
        (abs(float(load)), int(re.sub(r"\D", "", count) or 0))
        for load, counts in (run.split(":") for run in proposal.split() if ":" in run)
        for count in counts.split(",")
    ]
    blocks = []
    for window in windows:
        least, most = window["sets"]
        own = [sets.pop(0) for _ in range(min(len(sets), _length(window, sets, most)))]
        count = min(max(len(own), least), most)
        loads = window.get("loads", [])
        proposed = own[0][0] if own else None
        blocks.append(
            {
                "load": proposed if proposed in loads else next(iter(loads), None),
                "sets": count,
                "reps": _counts(window.get("reps", []), [each for _, each in own], count),
            }
        )
    return blocks


def _length(window: Json, sets: Sequence[tuple[float, int]], most: int) -> int:
    """Return the number of next sets in the block: those with one of its loads."""
    loads = window.get("loads", [])
    own = 0
    for load, _ in sets[:most]:
        if loads and load not in loads:
            break
        own += 1
    return own


def _counts(pairs: Sequence[Sequence[int]], proposed: Sequence[int], count: int) -> list[int]:
    if not pairs:
        return []
    found = []
    for place in range(count):
        low, high = pairs[min(place, len(pairs) - 1)]
        target = proposed[place] if place < len(proposed) else low
        found.append(min(max(target, low), high))
    return found


def _handler(fake: FakeGemini, answer: Callable[[str], Json]) -> type[BaseHTTPRequestHandler]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = _prompt(body)
            with lock:
                before = list(fake.prompts)
                fake.prompts.append(prompt)
            model = self.path.rpartition("/")[2].partition(":")[0]
            parts = _answer_parts(body, answer)
            content = json.dumps(_response(model, prompt, parts, before)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    return Handler


def _prompt(body: Json) -> str:
    """Return the whole prompt, in the order of the wire."""
    parts = [*body.get("systemInstruction", {}).get("parts", [])]
    parts += [part for content in body["contents"] for part in content["parts"]]
    return "\n".join(part.get("text", "") for part in parts)


def _response(model: str, prompt: str, parts: Sequence[Json], before: Sequence[str]) -> Json:
    text = parts[0].get("text") or json.dumps(parts)
    read, written = _tokens(prompt), _tokens(text)
    cached = max((_common_beginning(prompt, each) for each in before), default=0)
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": list(parts)},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": read,
            "cachedContentTokenCount": int(cached / _CHARACTERS_A_TOKEN),
            "candidatesTokenCount": written,
            "totalTokenCount": read + written,
        },
        "modelVersion": model,
        "responseId": f"fake-{len(before) + 1}",
    }


def _tokens(text: str) -> int:
    """Return a cautious estimate: providers count fewer tokens for such text."""
    return -int(-len(text) // _CHARACTERS_A_TOKEN)


def _common_beginning(one: str, other: str) -> int:
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)
