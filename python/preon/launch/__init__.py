"""Calibration spread over machines: a file that describes the run, its shards on an engine of yours, an exact merge.

    from preon import launch
    launch.describe("model.onnx", "run.json", output="model.calib", shards=16, data="photos/", preprocess="imagenet")
    from preon.launch import ray        # or dask, mpi, slurm, kubernetes
    ray.run("run.json")

The result has the bytes of one process. Retries, placement and storage are the engine's (docs/scale.md).
"""
from .description import describe
from .shards import merge_run, run_shard, unfinished

__all__ = ["describe", "merge_run", "run_shard", "unfinished"]
