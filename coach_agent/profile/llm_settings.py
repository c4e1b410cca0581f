"""The table `[llm]` of a profile: language models, their cost limits and permissions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, ValidationInfo, field_validator

from coach_agent.domain.model_calls import ExtraQuestion, Tier
from coach_agent.domain.secret_values import secrets_in
from coach_agent.profile.key_owners import is_model_key, may_be_sent, variable_for
from coach_agent.profile.table import ProfileTable
from hevy_connector.http.addresses import is_confidential

ProviderKind = Literal["google", "anthropic", "openai", "compatible"]
MayChangeNumbers = Literal["never", "within_windows", "earned"]
LeftOut = Literal["notes", "body", "names"]
AskRead = Literal["body", "memories", "notes"]
OutputMode = Literal["native", "prompted"]

# Local servers need no key, but a client always sends one.
NO_KEY = "none"

_ModelName = Annotated[str, StringConstraints(min_length=1, max_length=100)]
_Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")]
_Usd = Annotated[float, Field(ge=0, le=1000)]


class _Usual(NamedTuple):
    """Defaults of a provider: the variable of its key, its address, its models."""

    api_key_env: str | None
    base_url: str | None
    cheap: str | None
    strong: str | None


# Addresses are always given: by default the clients would read their own variables.
_USUAL: Mapping[ProviderKind, _Usual] = {
    "google": _Usual(
        "GEMINI_API_KEY",
        "https://generativelanguage.googleapis.com",
        "gemini-3.5-flash-lite",
        "gemini-3.8-flash",
    ),
    "anthropic": _Usual(
        "ANTHROPIC_API_KEY", "https://api.anthropic.com", "claude-haiku-5-5", "claude-sonnet-5-5"
    ),
    "openai": _Usual("OPENAI_API_KEY", "https://api.openai.com/v1", "gpt-6-luna", "gpt-6.1-terra"),
    "compatible": _Usual(None, None, None, None),
}


class ModelPrice(ProfileTable):
    """Price of a model in USD per million tokens; `cached` is input read from a cache.

    By default cached input costs the same as other input.
    """

    input: _Usd
    cached: _Usd | None = None
    output: _Usd


class ProviderSettings(ProfileTable):
    """One provider of language models.

    "compatible" is any server with OpenAI's protocol, such as a local one: it needs its `base_url`,
    which ends in /v1, and the name of at least one model. `cheap` and `strong` are names of models.
    `api_key_env` names the variable with the key; the key is never in the file, and never sent to
    another service: see `key_owners`. `output`: with "native" the server enforces the schema;
    "prompted" puts the schema into the prompt, for servers without that. `prices` are by model;
    known models have defaults. `embeddings` names the model to which searched texts are sent; by
    default none is sent.
    """

    kind: ProviderKind
    base_url: str | None = Field(default=None, validate_default=True)
    api_key_env: Annotated[_Variable | None, Field(validate_default=True)] = None
    cheap: _ModelName | None = None
    strong: Annotated[_ModelName | None, Field(validate_default=True)] = None
    embeddings: _ModelName | None = None
    output: OutputMode = "native"
    prices: dict[_ModelName, ModelPrice] = Field(default_factory=dict)

    @field_validator("base_url")
    @classmethod
    def _can_be_reached(cls, base_url: str | None, info: ValidationInfo) -> str | None:
        kind = info.data.get("kind")
        if base_url is None:
            if kind == "compatible":
                raise ValueError("must be the server's address, such as http://127.0.0.1:11434/v1")
            return None
        if not _is_http_url(base_url):
            raise ValueError("must be a URL such as http://127.0.0.1:11434/v1")
        if kind != "compatible" and not is_confidential(base_url):
            raise ValueError("must begin with https: the key would be sent unencrypted")
        return base_url.rstrip("/")

    @field_validator("api_key_env")
    @classmethod
    def _belongs_to_the_server(cls, variable: str | None, info: ValidationInfo) -> str | None:
        kind = info.data.get("kind")
        if kind is None or "base_url" not in info.data:
            return variable  # the invalid one is reported by itself
        usual = _USUAL[kind]
        named, url = variable or usual.api_key_env, info.data["base_url"] or usual.base_url or ""
        if named is None or may_be_sent(named, url):
            return variable
        if not is_model_key(named):
            raise ValueError(
                "must be a variable of a model provider, such as GEMINI_API_KEY: its name has the "
                "provider's"
            )
        if not is_confidential(url):
            raise ValueError("must be left out, or base_url begin with https")
        raise ValueError(
            f"must be {variable_for(url)}: a key is sent to its own service alone, and base_url is "
            "another"
        )

    @field_validator("strong")
    @classmethod
    def _has_a_model(cls, strong: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("kind") == "compatible" and not (strong or info.data.get("cheap")):
            raise ValueError("must be the name of a model of this server; or give cheap")
        return strong

    @field_validator("embeddings")
    @classmethod
    def _has_embeddings(cls, model: str | None, info: ValidationInfo) -> str | None:
        if model is not None and info.data.get("kind") == "anthropic":
            raise ValueError("must be left out: Anthropic has no embeddings")
        return model

    @property
    def variable(self) -> str | None:
        """The name of the variable that holds the key; None if the server needs none."""
        return self.api_key_env or _USUAL[self.kind].api_key_env

    @property
    def url(self) -> str:
        """The address of the provider."""
        return self.base_url or _USUAL[self.kind].base_url or ""

    def model(self, tier: Tier) -> str:
        """Return the model name of the tier; with only one model, that one."""
        usual = _USUAL[self.kind]
        cheap, strong = self.cheap or usual.cheap, self.strong or usual.strong
        names = (cheap, strong) if tier == "cheap" else (strong, cheap)
        return next(name for name in names if name)


class LlmSettings(ProfileTable):
    """Use of language models to make plans more personal.

    `providers` are tried in this order, those without a key never. `time_budget_s` is the timeout
    of one run's questions with all retries at all providers, `attempts` the maximum per provider
    for a valid answer, and `budget_usd` the maximum cost of all questions of one athlete's day.
    With `shadow` the model answers but the engine's plan is published; "earned" does the same until
    the model scored better than the engine. `questions` are asked in addition to the plan; "ask" is
    what `spotter ask` cannot answer by rules, "memories" reads new notes for memories. `ask_reads`
    is what a model may read for "ask" beyond training: body weight and recovery, memories, notes.
    """

    providers: tuple[ProviderSettings, ...] = (ProviderSettings(kind="google"),)
    may_change_numbers: MayChangeNumbers = "within_windows"
    shadow: bool = False
    budget_usd: Annotated[float, Field(ge=0, le=100)] = 0.25
    time_budget_s: Annotated[int, Field(ge=5, le=900)] = 120
    attempts: Annotated[int, Field(ge=1, le=3)] = 3
    leave_out: tuple[LeftOut, ...] = ()
    ask_reads: tuple[AskRead, ...] = ()
    questions: tuple[ExtraQuestion, ...] = ("insight", "stall", "weekly_review", "ask")


@dataclass(frozen=True)
class Provider:
    """A usable provider: its settings with its key. `secrets` are values that it never receives."""

    settings: ProviderSettings
    key: str = field(repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def name(self) -> str:
        """The name of the provider in records."""
        return self.settings.kind


@dataclass(frozen=True)
class Limits:
    """Total time of all questions, attempts per question, and maximum cost of a day."""

    time_budget_s: float
    attempts: int
    budget_usd: Decimal

    @classmethod
    def of(cls, settings: LlmSettings) -> "Limits":
        """Build the limits of an athlete."""
        return cls(settings.time_budget_s, settings.attempts, Decimal(str(settings.budget_usd)))


def usable_providers(settings: LlmSettings, keys: Mapping[str, str]) -> tuple[Provider, ...]:
    """Return, in order, the providers that need no key or have it in `keys`."""
    usable = []
    for provider in settings.providers:
        variable = provider.variable
        key = NO_KEY if variable is None else keys.get(variable, "").strip()
        if key:
            usable.append(Provider(provider, key, secrets_in(keys)))
    return tuple(usable)


def embedding_provider(settings: LlmSettings, keys: Mapping[str, str]) -> Provider | None:
    """Return the first usable provider that names a model of embeddings.

    None with anything in `leave_out`, which notes and memories contain, and with a budget of 0.
    """
    if settings.leave_out or not settings.budget_usd:
        return None
    usable = usable_providers(settings, keys)
    return next((each for each in usable if each.settings.embeddings), None)


def _is_http_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
