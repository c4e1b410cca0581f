"""Differences between the live service, its specification and older versions.

Each difference is a separate switch, so that a client can be tested against a single one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args, get_type_hints


class QuirkError(ValueError):
    """Unknown switch or profile; the message lists the valid ones."""


@dataclass(frozen=True)
class Quirks:
    """All switches; the defaults are the live service's.

    The first twelve are differences between the service's responses and its specification, or
    between two observations. The others follow the specification alone: it declares fewer statuses
    than the service uses, and allows a few bodies that the service rejects.
    """

    workout_put_shape: Literal["array", "bare"] = "array"
    routine_write_shape: Literal["array", "object"] = "array"
    folder_shape: Literal["wrapped", "bare"] = "wrapped"
    template_post: Literal["text", "json"] = "text"
    empty_events_key: Literal["workouts", "events"] = "workouts"
    measurement_read: Literal["sparse", "full"] = "sparse"
    routine_notes_on_read: Literal["yes", "no"] = "yes"
    empty_notes: Literal["reject", "accept"] = "reject"
    null_rep_range: Literal["reject_put", "accept"] = "reject_put"
    put_omitted_notes: Literal["clear", "keep"] = "clear"
    is_private: Literal["optional", "required"] = "optional"
    put_folder_id: Literal["accept", "reject"] = "accept"
    open_rep_range: Literal["reject", "accept"] = "reject"
    null_post_notes: Literal["accept", "reject"] = "accept"
    null_measurement: Literal["reject", "accept"] = "reject"
    template_refusal: Literal["zod", "error"] = "zod"
    undeclared_status: Literal["answer", "avoid"] = "answer"


LIVE = Quirks()
"""Behaviour of the service when last observed."""

SPEC = Quirks(
    workout_put_shape="bare",
    routine_write_shape="object",
    folder_shape="bare",
    template_post="json",
    empty_events_key="events",
    measurement_read="full",
    routine_notes_on_read="no",
    empty_notes="accept",
    null_rep_range="accept",
    put_omitted_notes="keep",
    open_rep_range="accept",
    null_post_notes="reject",
    null_measurement="accept",
    template_refusal="error",
    undeclared_status="avoid",
)
"""The specification of October 2026, to the letter."""

PROFILES: Mapping[str, Quirks] = {"live": LIVE, "spec": SPEC}


@dataclass(frozen=True)
class WriteRules:
    """Validation rules of a request body, by its source and the quirks.

    "app" is a whole record that the athlete edits, with all read-only fields.
    """

    source: Literal["post", "put", "app"]
    quirks: Quirks = LIVE

    @property
    def accepts_empty_notes(self) -> bool:
        """Return whether a note may be an empty text."""
        return self.quirks.empty_notes == "accept"

    @property
    def accepts_null_routine_notes(self) -> bool:
        """Return whether the notes of a routine may be null."""
        return self.source != "post" or self.quirks.null_post_notes == "accept"

    @property
    def accepts_null_range(self) -> bool:
        """Return whether a range of repetitions may be null."""
        return self.source != "put" or self.quirks.null_rep_range == "accept"

    @property
    def accepts_range_without_start(self) -> bool:
        """Return whether a range may lack its start."""
        return self.source == "app" or self.quirks.open_rep_range == "accept"

    @property
    def accepts_null_range_ends(self) -> bool:
        """Return whether start and end of a range may be null."""
        return self.source == "put" and self.quirks.open_rep_range == "accept"

    @property
    def accepts_null_measurement(self) -> bool:
        """Return whether missing measurements may be sent as null."""
        return self.quirks.null_measurement == "accept"


def parse_quirks(profile: str, switches: Iterable[str] = ()) -> Quirks:
    """Parse a profile with overridden switches ("folder_shape=bare").

    Raises:
        QuirkError: unknown profile, switch or value.
    """
    if profile not in PROFILES:
        raise QuirkError(f"There is no profile '{profile}': choose {' or '.join(PROFILES)}.")
    changes = dict(_switch(text) for text in switches)
    return replace(PROFILES[profile], **changes)  # type: ignore[arg-type]  # checked by _switch


def switch_values() -> Mapping[str, tuple[str, ...]]:
    """Return the values of each switch."""
    hints = get_type_hints(Quirks)
    return {field.name: get_args(hints[field.name]) for field in fields(Quirks)}


def _switch(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    values = switch_values()
    if name not in values:
        raise QuirkError(f"There is no quirk '{name}': choose one of {', '.join(values)}.")
    if value not in values[name]:
        raise QuirkError(
            f"The quirk '{name}' cannot be '{value}': write {name}={'|'.join(values[name])}."
        )
    return name, value
