"""Load a file of JSON lines with dlt's defaults, nested tables included; print the seconds.

Runs in its own environment: `python load_with_dlt.py payloads.json folder`.
"""

import json
import sys
import time
from pathlib import Path

import dlt


def main(source: Path, folder: Path) -> None:
    workouts = [json.loads(line) for line in source.read_bytes().splitlines()]
    started = time.perf_counter()
    pipeline = dlt.pipeline(
        pipeline_name="bench",
        pipelines_dir=str(folder / "pipelines"),
        destination=dlt.destinations.duckdb(str(folder / "dlt.duckdb")),
        dataset_name="raw",
    )
    resource = dlt.resource(workouts, name="hevy_workouts", primary_key="id")
    pipeline.run(resource, write_disposition="append")
    print(time.perf_counter() - started)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
