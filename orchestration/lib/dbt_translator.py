"""How dbt's nodes appear in Dagster: their layer, their owners, what their checks say."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
from dagster_dbt import DagsterDbtTranslator, DbtProject

from orchestration.lib.dbt_checks import meaning_of


def layer_of(properties: Mapping[str, Any]) -> str:
    """The layer of a dbt node: its folder below `models`, or `snapshots` or `seeds`."""
    if properties["resource_type"] in ("snapshot", "seed"):
        return f"{properties['resource_type']}s"
    return str(properties["fqn"][1])


def owner_of(manifest: Mapping[str, Any], properties: Mapping[str, Any]) -> str:
    """The team that owns a dbt node, as Dagster writes it: the owner of the node's dbt group."""
    groups = {group["name"]: group for group in manifest["groups"].values()}
    return f"team:{groups[properties['group']]['owner']['name']}"


class LayerTranslator(DagsterDbtTranslator):
    """Groups dbt assets by layer and names their owners; the rest is as dagster-dbt does it."""

    def get_asset_spec(
        self, manifest: Mapping[str, Any], unique_id: str, project: DbtProject | None
    ) -> dg.AssetSpec:
        """The spec of one node, with its layer as group and the team that owns it."""
        spec = super().get_asset_spec(manifest, unique_id, project)
        properties = self.get_resource_props(manifest, unique_id)
        if properties["resource_type"] == "source":
            return spec
        return spec.replace_attributes(
            group_name=layer_of(properties), owners=[owner_of(manifest, properties)]
        )

    def get_asset_check_spec(
        self,
        asset_spec: dg.AssetSpec,
        manifest: Mapping[str, Any],
        unique_id: str,
        project: DbtProject | None,
    ) -> dg.AssetCheckSpec | None:
        """The check of one data test, described by what holds if it passes."""
        spec = super().get_asset_check_spec(asset_spec, manifest, unique_id, project)
        if spec is None or spec.description:
            return spec
        return spec._replace(description=meaning_of(self.get_resource_props(manifest, unique_id)))
