"""The metrics defined in dbt, and the SQL of metric queries.

MetricFlow, dbt's own compiler, generates the SQL from the semantic manifest that dbt writes when it
parses the project. The query then runs on the released marts.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    # MetricFlow takes 1 s to import; only compiling needs it.
    from metricflow.engine.models import Metric as CompiledMetric
    from metricflow.protocols.sql_client import SqlClient

TIME_GRAINS = ("day", "week", "month", "quarter", "year")

_CONDITION = re.compile(r"\s*(\w+)\s*(!=|<>|=|\bnot\s+in\b|\bin\b)\s*(\S.*?)\s*", re.I | re.S)
"""A condition on a dimension: `equipment = barbell`, `equipment in (barbell, dumbbell)`."""

_TIME = "metric_time"
_ATHLETE = "athlete"


class MetricError(Exception):
    """Unknown metric, dimension or condition; the message lists the known ones."""


@dataclass(frozen=True)
class Metric:
    """A metric for users.

    `dimensions` are additional groupings besides time and athlete. `grouped_by` is mandatory, for
    example because values of different exercises cannot be combined.
    """

    name: str
    label: str
    description: str
    grouped_by: str | None
    dimensions: tuple[str, ...]


@dataclass(frozen=True)
class MetricQuery:
    """A metric query by time grains and dimensions, for one athlete or all, over local days.

    `since` and `until` are inclusive. `where` has conditions on dimensions that all hold, such as
    `exercise__equipment = barbell`. Athletes are never aggregated together.
    """

    metric: str
    by: Sequence[str] = ()
    athlete_id: str | None = None
    since: date | None = None
    until: date | None = None
    where: Sequence[str] = ()


class SemanticLayer:
    """The metrics of one semantic manifest, compiled for the released marts."""

    def __init__(self, semantic_manifest: Path) -> None:
        from metricflow.engine.metricflow_engine import MetricFlowEngine
        from metricflow.protocols.sql_client import SqlEngine
        from metricflow.sql.render.duckdb_renderer import DuckDbSqlPlanRenderer
        from metricflow_semantics.model.dbt_manifest_parser import (
            parse_manifest_from_dbt_generated_manifest,
        )
        from metricflow_semantics.model.semantic_manifest_lookup import SemanticManifestLookup

        content = _use_release_tables(json.loads(semantic_manifest.read_text()))
        manifest = parse_manifest_from_dbt_generated_manifest(json.dumps(content))
        # Compiling needs only these attributes of a client.
        dialect = SimpleNamespace(
            sql_engine_type=SqlEngine.DUCKDB, sql_plan_renderer=DuckDbSqlPlanRenderer()
        )
        self._engine = MetricFlowEngine(
            SemanticManifestLookup(manifest), cast("SqlClient", dialect)
        )

    def metrics(self) -> list[Metric]:
        """Return all metrics, by name."""
        found = [_describe_metric(metric) for metric in self._engine.list_metrics()]
        return sorted(found, key=lambda metric: metric.name)

    def metric(self, name: str) -> Metric:
        """Return a metric.

        Raises:
            MetricError: there is none of that name.
        """
        metrics = {metric.name: metric for metric in self.metrics()}
        if name not in metrics:
            raise MetricError(f"There is no metric '{name}'. There are: {', '.join(metrics)}")
        return metrics[name]

    def sql(self, question: MetricQuery) -> str:
        """Compile a question to SQL: one row per athlete and group with a value, in their order.

        Without a time grain the rows have the first and the last day with a value that they cover.

        Raises:
            MetricError: the metric does not exist, or cannot be grouped or filtered like this.
        """
        metric = self.metric(question.metric)
        groups = {name: _group(metric, name) for name in _group_names(metric, question)}
        conditions = _conditions(metric, question)
        sql = self._compile(metric, list(groups.values()), conditions)
        if any(name in TIME_GRAINS for name in groups):
            return _order_query(sql, groups, metric.name)
        day = f"{_TIME}__day"
        by_day = self._compile(metric, [day, *groups.values()], conditions)
        return _add_period(sql, by_day, day, groups, metric.name)

    def _compile(self, metric: Metric, groups: list[str], conditions: list[str]) -> str:
        from metricflow.engine.metricflow_engine import MetricFlowQueryRequest
        from metricflow_semantics.errors.error_classes import InvalidQueryException

        try:
            explained = self._engine.explain(
                MetricFlowQueryRequest.create(
                    metric_names=[metric.name],
                    group_by_names=groups,
                    where_constraints=conditions,
                )
            )
        except InvalidQueryException as error:
            raise MetricError(f"'{metric.name}' cannot be queried so: {error}") from error
        return explained.sql_statement.sql


def _order_query(sql: str, groups: Mapping[str, str], metric: str) -> str:
    """Wrap the query with the requested names, and periods as their first day."""
    columns = [
        f'cast({column} as date) as "{name}"' if name in TIME_GRAINS else column
        for name, column in groups.items()
    ]
    return (
        f"select {', '.join([*columns, metric])} from (\n{sql}\n) "  # noqa: S608
        f"where {metric} is not null order by {_places(len(columns))}"
    )


def _add_period(sql: str, by_day: str, day: str, groups: Mapping[str, str], metric: str) -> str:
    """Wrap the query with the first and last day of each row's group, from the query by day."""
    names = list(groups.values())
    equal = " and ".join(f"values_of.{name} is not distinct from days.{name}" for name in names)
    return (
        f"select cast(min(days.{day}) as date) as first_day, "  # noqa: S608
        f"cast(max(days.{day}) as date) as last_day, "
        f"{', '.join(f'values_of.{name}' for name in names)}, values_of.{metric} "
        f"from (\n{sql}\n) as values_of "
        f"inner join (\n{by_day}\n) as days on {equal} "
        f"where values_of.{metric} is not null and days.{metric} is not null "
        f"group by all order by {_places(len(names), first=3)}"
    )


def _places(count: int, first: int = 1) -> str:
    return ", ".join(str(first + place) for place in range(count))


def _use_release_tables(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest with the table names of a release, where `marts` is the database."""
    spines = manifest["project_configuration"]["time_spines"]
    for model in [*manifest["semantic_models"], *spines]:
        relation = model["node_relation"]
        relation["relation_name"] = f'marts."{relation["alias"]}"'
    return manifest


def _describe_metric(metric: "CompiledMetric") -> Metric:
    from metricflow_semantic_interfaces.type_enums.dimension_type import DimensionType

    meta: Mapping[str, Any] = (metric.config.meta if metric.config else None) or {}
    dimensions = {
        dimension.granularity_free_dunder_name
        for dimension in metric.dimensions
        if dimension.type is not DimensionType.TIME
    }
    return Metric(
        name=metric.name,
        label=metric.label or metric.name,
        description=" ".join((metric.description or "").split()),
        grouped_by=meta.get("grouped_by"),
        dimensions=tuple(sorted(dimensions)),
    )


def _group_names(metric: Metric, question: MetricQuery) -> list[str]:
    """Return the groups: time first, then the athlete, then the rest."""
    grains = [name for name in question.by if name in TIME_GRAINS]
    always = [] if metric.grouped_by is None else [metric.grouped_by]
    rest = [name for name in question.by if name not in TIME_GRAINS]
    return [*grains, _ATHLETE, *always, *rest]


def _group(metric: Metric, name: str) -> str:
    """Return a group by MetricFlow's name."""
    if name in TIME_GRAINS:
        return f"{_TIME}__{name}"
    if name != _ATHLETE and name not in metric.dimensions:
        known = ", ".join([*TIME_GRAINS, *metric.dimensions])
        raise MetricError(f"'{metric.name}' cannot be grouped by '{name}', but by: {known}")
    return name


def _conditions(metric: Metric, question: MetricQuery) -> list[str]:
    day = f"{{{{ TimeDimension('{_TIME}', 'day') }}}}"
    conditions = [_condition(metric, text) for text in question.where]
    if question.athlete_id is not None:
        conditions.append(f"{{{{ Entity('{_ATHLETE}') }}}} = {_literal(question.athlete_id)}")
    if question.since is not None:
        conditions.append(f"{day} >= '{question.since.isoformat()}'")
    if question.until is not None:
        conditions.append(f"{day} <= '{question.until.isoformat()}'")
    return conditions


def _condition(metric: Metric, text: str) -> str:
    """Translate a condition on a dimension for MetricFlow; values are compared as text."""
    matched = _CONDITION.fullmatch(text)
    if matched is None:
        raise MetricError(
            f"'{text}' is no condition. Write a dimension, =, != or in, and a value: "
            "exercise__equipment = barbell"
        )
    name, operator, value = matched.groups()
    if name not in metric.dimensions:
        known = ", ".join(metric.dimensions)
        raise MetricError(f"'{metric.name}' cannot be filtered by '{name}', but by: {known}")
    is_list = operator.lower().endswith("in")
    parts = value.removeprefix("(").removesuffix(")").split(",") if is_list else [value]
    values = ", ".join(_literal(_unquoted(part.strip())) for part in parts)
    is_negated = operator.lower() not in {"=", "in"}
    dimension = f"cast({{{{ Dimension('{name}') }}}} as varchar)"
    return f"coalesce({dimension}, '') {'not in' if is_negated else 'in'} ({values})"


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1].replace(text[0] * 2, text[0]) if is_quoted else text


def _literal(text: str) -> str:
    """Return a SQL literal that MetricFlow's templates do not evaluate.

    Raises:
        MetricError: the text contains marks of a template.
    """
    if re.search(r"\{[{%#]|[}%#]\}", text):
        raise MetricError(f"'{text}' contains marks of a template.")
    return "'" + text.replace("'", "''") + "'"
