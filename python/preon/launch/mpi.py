"""Shards shared out among the ranks of MPI: `mpirun -n 4 python -m preon.launch.mpi run.json`.

MPI ends all ranks when one dies. The same command again runs only the shards that are not done.
"""
from __future__ import annotations

import os
import sys
from typing import Any, Optional

from ..optional import optional
from ..options import Path
from ..result import Result
from .shards import merge_run, run_shard, unfinished


def run(run: Path, comm: Any = None) -> Optional[Result]:
    """Every rank calls it; rank 0 gets the Result of the merge, the others None. `comm`: of mpi4py; None: COMM_WORLD."""
    comm = comm or optional("mpi4py.MPI", "mpi", "launch").COMM_WORLD
    path = os.path.abspath(os.fsdecode(run))
    shards = comm.bcast(unfinished(path) if comm.rank == 0 else None)
    for shard in shards[comm.rank::comm.size]:
        run_shard(path, shard)
    comm.Barrier()
    return merge_run(path) if comm.rank == 0 else None


def main(arguments):
    MPI = optional("mpi4py.MPI", "mpi", "launch")
    if len(arguments) != 1:
        sys.exit("usage: mpirun -n RANKS python -m preon.launch.mpi RUN.json")
    try:
        result = run(arguments[0], MPI.COMM_WORLD)
    except Exception as error:  # the other ranks wait in the barrier
        print(f"rank {MPI.COMM_WORLD.rank}: {error}", file=sys.stderr, flush=True)
        MPI.COMM_WORLD.Abort(1)
    if result is not None:
        print(result)


if __name__ == "__main__":
    main(sys.argv[1:])
