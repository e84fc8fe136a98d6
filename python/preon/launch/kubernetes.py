"""Writes what Kubernetes runs: an indexed Job of shards, and a Job that merges. Both mount one claim that holds everything."""
import json
import pathlib

from .description import read


def write(run, folder, image, claim, mount="/data", parallelism=8, cpu="1", memory="2Gi", name="preon"):
    """Writes shards.json and merge.json (Kubernetes reads JSON as well as YAML) into `folder`.

    run    the description, here; in the containers it is found at `mount` under the same name
    claim  PersistentVolumeClaim, mounted at `mount`, with the description, the model, the data and the results; paths in the
           description are relative to it
    """
    described = read(run)
    inside = f"{mount}/{pathlib.Path(run).name}"
    shards = len(described["results"])
    index = {"completions": shards, "parallelism": min(parallelism, shards), "completionMode": "Indexed", "backoffLimitPerIndex": 3}
    written = {
        "shards": (index, ["sh", "-c", f'exec python3 -m preon.launch shard "{inside}" "$((JOB_COMPLETION_INDEX + 1))"']),
        "merge": ({"backoffLimit": 3}, ["python3", "-m", "preon.launch", "merge", inside]),
    }
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for part, (spec, command) in written.items():
        container = {"name": part, "image": image, "command": command, "volumeMounts": [{"name": "data", "mountPath": mount}],
                     "resources": {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": memory}}}
        pod = {"restartPolicy": "Never", "containers": [container],
               "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]}
        text = json.dumps({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"{name}-{part}"},
                           "spec": {**spec, "template": {"spec": pod}}}, indent=2)
        (folder / f"{part}.json").write_text(text + "\n")
