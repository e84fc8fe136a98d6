"""Writes what Kubernetes runs: an indexed Job of shards, and a Job that merges. Both mount one claim that holds everything."""
from __future__ import annotations

import json
import os
import pathlib

from ..options import Path
from .description import read


def write(run: Path, folder: Path, image: str, claim: str, mount: str = "/data", parallelism: int = 8, cpu: str = "1", memory: str = "2Gi",
          name: str = "preon") -> None:
    """Writes shards.json and merge.json (Kubernetes reads JSON as well as YAML) into `folder`.

    run    the description, here; in the containers it is found at `mount` under the same name
    claim  PersistentVolumeClaim, mounted at `mount`, with the description, the model, the data and the results; paths in the
           description are relative to it
    """
    described = read(run)
    inside = f"{mount}/{pathlib.Path(os.fsdecode(run)).name}"
    shards = len(described["results"])
    index = {"completions": shards, "parallelism": min(parallelism, shards), "completionMode": "Indexed", "backoffLimitPerIndex": 3}
    written = {
        "shards": (index, ["sh", "-c", f'exec python3 -m preon.launch shard "{inside}" "$((JOB_COMPLETION_INDEX + 1))"']),
        "merge": ({"backoffLimit": 3}, ["python3", "-m", "preon.launch", "merge", inside]),
    }
    target = pathlib.Path(os.fsdecode(folder))
    target.mkdir(parents=True, exist_ok=True)
    for part, (spec, command) in written.items():
        container = {"name": part, "image": image, "command": command, "volumeMounts": [{"name": "data", "mountPath": mount}],
                     "resources": {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": memory}}}
        pod = {"restartPolicy": "Never", "containers": [container],
               "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]}
        text = json.dumps({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"{name}-{part}"},
                           "spec": {**spec, "template": {"spec": pod}}}, indent=2)
        (target / f"{part}.json").write_text(text + "\n")
