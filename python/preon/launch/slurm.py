"""Writes what Slurm runs: an array of shards, the merge behind it, and the line that submits both."""
from __future__ import annotations

import os
import pathlib
import shlex

from ..options import Path
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


def write(run: Path, folder: Path, cpus: int = 1, memory: str = "2G", time: str = "01:00:00", python: str = "python3") -> None:
    """Writes shards.sbatch, merge.sbatch and submit.sh into `folder`. Submitting again runs only what is not done."""
    described = read(run)
    values = {"shards": len(described["results"]), "run": shlex.quote(str(pathlib.Path(os.fsdecode(run)).resolve())), "cpus": cpus, "memory": memory,
              "time": time, "python": python}
    target = pathlib.Path(os.fsdecode(folder))
    target.mkdir(parents=True, exist_ok=True)
    for name, text in (("shards.sbatch", _ARRAY), ("merge.sbatch", _MERGE), ("submit.sh", _SUBMIT)):
        (target / name).write_text(text.format(**values) if name != "submit.sh" else text)
        (target / name).chmod(0o755)
