"""Shards as tasks of Ray, which places them and repeats those whose worker died."""
from __future__ import annotations

import os

from ..optional import optional
from ..options import Path
from ..result import Result
from .shards import merge_run, run_shard, unfinished


def run(run: Path, num_cpus: float = 1, retries: int = 3) -> Result:
    """Runs the shards that are not done, and merges. The Result of the merge.

    num_cpus  of one shard; its threads are the option `threads` of the description
    retries   of a shard whose worker died; what a shard raises is raised here

    Uses the connection that there is (ray.init("auto")), else starts Ray on this machine. The description and what it names must be at
    the same path on all nodes. Raises what run_shard() and merge_run() raise, as Ray wraps it.
    """
    ray = optional("ray", "ray", "launch")
    if not ray.is_initialized():
        ray.init()
    path = os.path.abspath(os.fsdecode(run))
    task = ray.remote(num_cpus=num_cpus, max_retries=retries)(run_shard)
    ray.get([task.remote(path, shard) for shard in unfinished(path)])
    return merge_run(path)
