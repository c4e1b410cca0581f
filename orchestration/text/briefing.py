"""The briefing of a day as values, with its Markdown and its plain text."""

import hashlib
import re
from datetime import date, datetime

from coach_agent.domain.values import Value, canonical_json
from coach_agent.store.briefings import WrittenBriefing

_SPECIAL = re.compile(r"([\\`*_\[\]#|])")


class Item(Value):
    """A line of a section: `mark` and `name` first, `why` on its own line."""

    text: str
    mark: str = ""
    name: str = ""
    why: str = ""


class Section(Value):
    """Lines under a heading, at least one."""

    heading: str
    items: tuple[Item, ...]


class Briefing(Value):
    """The briefing of an athlete for a day, as plain text in the athlete's unit."""

    athlete_id: str
    day: date
    plan_id: str | None
    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]

    def markdown(self) -> str:
        """Render as Markdown; external titles are escaped."""
        return f"# {_escape(self.title)}\n\n{self.body()}"

    def body(self) -> str:
        """Render the Markdown below the title."""
        lines = [" ".join(map(_escape, self.lead))]
        for section in self.sections:
            lines += ["", f"## {_escape(section.heading)}", ""]
            for item in section.items:
                name = f"**{_escape(item.name)}**: " if item.name else ""
                mark = f"{_escape(item.mark)} " if item.mark else ""
                lines.append(f"- {mark}{name}{_escape(item.text)}")
                if item.why:
                    lines[-1] += f"  \n  *{_escape(item.why)}*"
        return "\n".join(lines) + "\n"

    def plain(self) -> str:
        """Render like `body`, for channels without Markdown."""
        lines = [" ".join(self.lead)]
        for section in self.sections:
            lines += ["", section.heading.upper()]
            for item in section.items:
                name = f"{item.name}: " if item.name else ""
                lines.append(f"{item.mark} {name}{item.text}".strip())
                lines += [f"  {item.why}"] if item.why else []
        return "\n".join(lines) + "\n"

    def written(self, *, now: datetime, run_id: str) -> WrittenBriefing:
        """Return the row to store, with the hash of the Markdown."""
        markdown = self.markdown()
        return WrittenBriefing(
            athlete_id=self.athlete_id,
            day=self.day,
            content_sha256=hashlib.sha256(markdown.encode()).hexdigest(),
            plan_id=self.plan_id,
            content=canonical_json(self).decode(),
            markdown=markdown,
            written_at=now,
            run_id=run_id,
        )


def _escape(text: str) -> str:
    one_line = " ".join(text.split())
    one_line = one_line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", one_line)
