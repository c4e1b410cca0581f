"""The operator's part of Dagster's configuration, and that of the documented deployments."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster._config import process_config, resolve_to_config_type

from orchestration.config.locations import CODE_ROOT
from orchestration.config.settings import Settings, SettingsError, load_settings
from orchestration.runs.dagster_history import dagster_instance, has_own_launcher

DEPLOYMENTS = CODE_ROOT / "docs" / "deployments"
OF_DEPLOYMENTS = {"SPOTTER_IMAGE", "SPOTTER_CELERY_BROKER", "SPOTTER_CELERY_BACKEND"}
"""Variables that only Dagster's launchers read."""
TMP = "/tmp"  # noqa: S108 - of a container


@pytest.fixture(autouse=True)
def _own_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the environment after the test: opening a history sets a variable."""
    monkeypatch.setenv("DAGSTER_HOME", "")


def settings_with(folder: Path, text: str, *, partitions: int = 1) -> Settings:
    (folder / "more.yaml").write_text(text)
    variables = {
        "SPOTTER_HOME": str(folder / "home"),
        "SPOTTER_DAGSTER_CONFIG": "more.yaml",
        "SPOTTER_TARGET": "lake",
        "SPOTTER_LAKE_CATALOG": "postgresql://spotter@127.0.0.1:1/lake",
        "SPOTTER_LAKE_DATA": str(folder / "lake"),
        "SPOTTER_PARTITIONS": str(partitions),
    }
    return load_settings(variables, folder)


def written(settings: Settings) -> dict[str, dict[str, object]]:
    """Return the configuration that Dagster reads."""
    with dagster_instance(settings):
        found: dict[str, dict[str, object]] = yaml.safe_load(
            (settings.dagster_home / "dagster.yaml").read_text()
        )
    return found


@pytest.mark.parametrize("partitions", [1, 4])
def test_sections_are_added_and_ours_stay(tmp_path: Path, partitions: int) -> None:
    more = (
        "concurrency: {runs: {max_concurrent_runs: 2}}\nrun_monitoring: {start_timeout_seconds: 9}"
    )
    found = written(settings_with(tmp_path, more, partitions=partitions))
    assert found["concurrency"] == {
        "pools": {"default_limit": 1, "granularity": "op"},
        "runs": {"max_concurrent_runs": 2},
    }
    assert found["run_monitoring"]["start_timeout_seconds"] == 9
    assert found["run_monitoring"]["enabled"] is True
    assert ("run_retries" in found) == (partitions > 1)


def test_a_section_with_a_class_replaces_ours(tmp_path: Path) -> None:
    more = (
        "run_coordinator:\n  module: dagster.core.run_coordinator\n  class: DefaultRunCoordinator\n"
    )
    assert written(settings_with(tmp_path, more, partitions=4))["run_coordinator"] == {
        "module": "dagster.core.run_coordinator",
        "class": "DefaultRunCoordinator",
    }


def test_only_with_a_launcher_of_ones_own_runs_outlive_the_code_server(tmp_path: Path) -> None:
    launcher = "run_launcher:\n  module: dagster_docker\n  class: DockerRunLauncher\n"
    assert has_own_launcher(settings_with(tmp_path, launcher))
    assert not has_own_launcher(settings_with(tmp_path, "run_monitoring: {enabled: true}\n"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("storage: {sqlite: {base_dir: /tmp}}", "use SPOTTER_DAGSTER_DATABASE"),
        ("run_launcher: [", "cannot be read"),
        ("- run_launcher", "has no sections"),
    ],
)
def test_an_unusable_file_is_a_setting_to_fix(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        written(settings_with(tmp_path, text))
    settings = settings_with(tmp_path, "")
    (tmp_path / "more.yaml").unlink()
    with pytest.raises(SettingsError, match=r"more\.yaml cannot be read"):
        written(settings)


@pytest.mark.parametrize(
    ("name", "extra", "package"),
    [
        ("celery", "celery", "dagster_celery"),
        ("docker", "docker", "dagster_docker"),
        ("kubernetes", "kubernetes", "dagster_k8s"),
    ],
)
def test_a_launcher_accepts_its_configuration(
    name: str, extra: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (DEPLOYMENTS / name / "dagster.yaml").read_text()
    settings = settings_with(tmp_path, text, partitions=4)
    # Dagster validates all sections, and the launcher's own only in a process that starts a run.
    with dagster_instance(settings) as instance:
        launcher = instance.get_ref().run_launcher_data
    assert launcher is not None
    pytest.importorskip(package, reason=f"the extra `{extra}` is not installed")
    for variable in OF_DEPLOYMENTS:
        monkeypatch.setenv(variable, "redis://127.0.0.1:6379/0")
    kind = getattr(import_module(launcher.module_name), launcher.class_name)
    assert issubclass(kind, dg._core.launcher.RunLauncher)
    checked = process_config(resolve_to_config_type(kind.config_type()), launcher.config_dict)
    assert checked.success, checked.errors


def test_a_run_in_a_read_only_container_has_a_folder_for_temporary_files() -> None:
    """A job of Kubernetes had none, so temporary files filled the volume of the home."""
    kubernetes = launcher_of("kubernetes")
    container = kubernetes["run_k8s_config"]["container_config"]
    assert container["security_context"]["read_only_root_filesystem"] is True
    scratch = {each["mountPath"]: each["name"] for each in kubernetes["volume_mounts"]}[TMP]
    assert {"name": scratch, "emptyDir": {}} in kubernetes["volumes"]
    docker = launcher_of("docker")["container_kwargs"]
    assert (docker["read_only"], docker["tmpfs"]) == (True, {TMP: ""})


def launcher_of(name: str) -> dict[str, Any]:
    """Return the launcher's configuration of a deployment."""
    text = (DEPLOYMENTS / name / "dagster.yaml").read_text()
    found: dict[str, Any] = yaml.safe_load(text)["run_launcher"]["config"]
    return found


def test_a_run_becomes_a_job_of_kubernetes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The launcher renders the job without a cluster; its client validates the fields."""
    pytest.importorskip("dagster_k8s", reason="the extra `kubernetes` is not installed")
    import kubernetes
    from dagster_k8s import K8sRunLauncher
    from dagster_k8s.container_context import K8sContainerContext
    from dagster_k8s.job import construct_dagster_k8s_job

    monkeypatch.setenv("SPOTTER_IMAGE", "registry.example/spotter:1")
    access = tmp_path / "access.yaml"
    access.write_text(
        "{apiVersion: v1, kind: Config, current-context: x, users: [{name: x, user: {}}], "
        "contexts: [{name: x, context: {cluster: x, user: x}}], "
        "clusters: [{name: x, cluster: {server: 'http://127.0.0.1:1'}}]}"
    )
    outside = {"load_incluster_config": False, "kubeconfig_file": str(access)}
    checked = process_config(
        resolve_to_config_type(K8sRunLauncher.config_type()), launcher_of("kubernetes") | outside
    )
    launcher = K8sRunLauncher(**checked.value)
    context = K8sContainerContext.create_for_run(
        dg.DagsterRun(job_name="sync"), launcher, include_run_tags=False
    )
    job = construct_dagster_k8s_job(
        job_config=context.get_k8s_job_config(job_image=None, run_launcher=launcher),
        args=["dagster", "api", "execute_run"],
        job_name="run",
        pod_name="run",
        component="run_worker",
        user_defined_k8s_config=context.run_k8s_config,
        labels={},
        env_vars=[],
    )
    rendered = kubernetes.client.ApiClient().sanitize_for_serialization(job)["spec"]
    assert context.namespace == "spotter"
    assert rendered["backoffLimit"] == 0
    pod = rendered["template"]["spec"]
    [container] = pod["containers"]
    assert container["image"] == "registry.example/spotter:1"
    assert [*container["command"], *container["args"]] == ["env", "dagster", "api", "execute_run"]
    assert container["envFrom"] == [
        {"configMapRef": {"name": "spotter"}},
        {"secretRef": {"name": "spotter"}},
    ]
    mounted = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    assert mounted == {"home": "/data", "scratch": TMP}
    assert mounted.keys() == {each["name"] for each in pod["volumes"]}
    assert container["env"] == [{"name": "DAGSTER_HOME", "value": "/data/home/dagster"}]
    assert container["resources"]["limits"] == {"memory": "4Gi"}
    assert pod["securityContext"] == {"runAsUser": 10001, "runAsGroup": 10001, "fsGroup": 10001}
    assert pod["restartPolicy"] == "Never"


def test_deployments_name_settings_that_exist() -> None:
    documented = (
        set(re.findall(r"`(\w+)`", (CODE_ROOT / "docs" / "configuration.md").read_text()))
        | OF_DEPLOYMENTS
    )
    files = [path for path in DEPLOYMENTS.rglob("*") if path.suffix in {".env", ".md", ".yaml"}]
    assert len(files) == 7
    for path in files:
        named = set(re.findall(r"\bSPOTTER_[A-Z_]+", path.read_text()))
        assert named <= documented, path
