"""The metrics defined in dbt, and the SQL of metric queries.

MetricFlow, dbt's own compiler, generates the SQL from the semantic manifest that dbt writes when it
parses the project. The query then runs on the released marts.
"""

import json
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

_TIME = "metric_time"
_ATHLETE = "athlete"


class MetricError(Exception):
    """Unknown metric or dimension; the message lists the known ones."""


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

    `since` and `until` are inclusive. Athletes are never aggregated together.
    """

    metric: str
    by: Sequence[str] = ()
    athlete_id: str | None = None
    since: date | None = None
    until: date | None = None


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
        """Compile a question to SQL: one row per athlete and group, ordered by group.

        Raises:
            MetricError: the metric does not exist, or cannot be grouped like this.
        """
        from metricflow.engine.metricflow_engine import MetricFlowQueryRequest
        from metricflow_semantics.errors.error_classes import InvalidQueryException

        metric = self.metric(question.metric)
        groups = {name: _group(metric, name) for name in _group_names(metric, question)}
        try:
            explained = self._engine.explain(
                MetricFlowQueryRequest.create(
                    metric_names=[metric.name],
                    group_by_names=list(groups.values()),
                    where_constraints=_conditions(question),
                )
            )
        except InvalidQueryException as error:
            raise MetricError(f"'{metric.name}' cannot be grouped so: {error}") from error
        return _order_query(explained.sql_statement.sql, groups, metric.name)


def _order_query(sql: str, groups: Mapping[str, str], metric: str) -> str:
    """Wrap the query with the requested names, and periods as their first day."""
    columns = [
        f'cast({column} as date) as "{name}"' if name in TIME_GRAINS else column
        for name, column in groups.items()
    ]
    places = ", ".join(str(place + 1) for place in range(len(columns)))
    return f"select {', '.join([*columns, metric])} from (\n{sql}\n) order by {places}"  # noqa: S608


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


def _conditions(question: MetricQuery) -> list[str]:
    day = f"{{{{ TimeDimension('{_TIME}', 'day') }}}}"
    conditions = []
    if question.athlete_id is not None:
        text = question.athlete_id.replace("'", "''")
        conditions.append(f"{{{{ Entity('{_ATHLETE}') }}}} = '{text}'")
    if question.since is not None:
        conditions.append(f"{day} >= '{question.since.isoformat()}'")
    if question.until is not None:
        conditions.append(f"{day} <= '{question.until.isoformat()}'")
    return conditions
