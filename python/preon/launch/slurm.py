"""Writes what Slurm runs: an array of shards, the merge behind it, and the line that submits both."""
import pathlib
import shlex

from .description import read

_ARRAY = """#!/bin/sh
#SBATCH --job-name=preon-shards
#SBATCH --array=1-{shards}
#SBATCH --requeue
#SBATCH --cpus-per-task={cpus}
#SBATCH --mem={memory}
#SBATCH --time={time}
exec {python} -m preon.launch shard {run} "$SLURM_ARRAY_TASK_ID"
"""
_MERGE = """#!/bin/sh
#SBATCH --job-name=preon-merge
#SBATCH --mem={memory}
#SBATCH --time={time}
exec {python} -m preon.launch merge {run}
"""
_SUBMIT = """#!/bin/sh
set -e
cd "$(dirname "$0")"
array=$(sbatch --parsable shards.sbatch)
sbatch --dependency="afterok:$array" merge.sbatch
"""


def write(run, folder, cpus=1, memory="2G", time="01:00:00", python="python3"):
    """Writes shards.sbatch, merge.sbatch and submit.sh into `folder`. Submitting again runs only what is not done."""
    described = read(run)
    values = {"shards": len(described["results"]), "run": shlex.quote(str(pathlib.Path(run).resolve())), "cpus": cpus, "memory": memory,
              "time": time, "python": python}
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("shards.sbatch", _ARRAY), ("merge.sbatch", _MERGE), ("submit.sh", _SUBMIT)):
        (folder / name).write_text(text.format(**values) if name != "submit.sh" else text)
        (folder / name).chmod(0o755)
