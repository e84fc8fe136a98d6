"""Shards as tasks of Dask, which places them and moves those whose worker died to another one."""
from __future__ import annotations

import os
from typing import Any

from ..optional import optional
from ..options import Path
from ..result import Result
from .shards import merge_run, run_shard, unfinished


def run(run: Path, client: Any = None, retries: int = 0) -> Result:
    """Runs the shards that are not done, and merges. The Result of the merge.

    client   of dask.distributed; None: workers on this machine, one per core
    retries  of a shard that raised

    The description and what it names must be at the same path on all workers. Raises what run_shard() and merge_run() raise.
    """
    distributed = optional("distributed", "dask", "launch")
    path = os.path.abspath(os.fsdecode(run))
    if client is None:
        with distributed.Client(n_workers=len(os.sched_getaffinity(0)), threads_per_worker=1, dashboard_address=None) as local:
            return _run(local, path, retries)
    return _run(client, path, retries)


def _run(client, path, retries):
    shards = unfinished(path)
    client.gather(client.map(run_shard, [path] * len(shards), shards, pure=False, retries=retries))
    return merge_run(path)
