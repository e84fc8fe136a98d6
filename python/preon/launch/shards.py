"""One shard of a described run, and the merge of all: what every engine calls, in any process, as often as it likes."""
from __future__ import annotations

import importlib
import os
import pathlib
import shutil
import tempfile

from .. import core
from ..errors import ConfigError, ModelError, NotFound, PreonError
from ..options import Path
from ..result import Result
from .description import check_data, read, replace


def run_shard(run: Path, shard: int) -> str:
    """Computes shard number `shard` (from 1) of the run that the file `run` describes, and gives the path of its result.

    The result appears whole, under its own name, and always has the same bytes: a shard that runs twice, late or again behind a worker
    that died does no harm, and one that is done already is not computed again. Why a shard failed is left in RESULT.failed, where
    `preon status` finds it. Raises what calibrate() raises; ConfigError, DataError, ModelError.
    """
    described = read(run)
    results = described["results"]
    if not 1 <= shard <= len(results):
        raise ConfigError(1002, f"shard: got {shard}, wanted 1 to {len(results)}", exit_status=2)
    result = pathlib.Path(results[shard - 1])
    if _is_done(result, described):
        return str(result)
    result.parent.mkdir(parents=True, exist_ok=True)
    failed = result.with_name(result.name + ".failed")
    try:
        check_data(run, described)
        _compute(run, described, f"{shard}/{len(results)}", result)
    except Exception as error:
        replace(failed, f"{error}\n".splitlines()[0] + "\n")
        raise
    failed.unlink(missing_ok=True)
    return str(result)


def unfinished(run: Path) -> list[int]:
    """Numbers of the shards that are not done."""
    return [number for number, shard in enumerate(core.status(run).shards, 1) if shard["state"] != "done"]


def merge_run(run: Path) -> Result:
    """Merges the shards into the output of the description; its Result. Raises PreonError that names the shards that are not done."""
    return core.merge(run, read(run)["output"])


def _is_done(result, described):
    try:
        return core.inspect(result).fingerprint == described["model_fingerprint"]
    except PreonError:  # there is none, or a damaged one
        return False


def _compute(run, described, part, result):
    with tempfile.TemporaryDirectory(prefix="preon-shard-") as folder:
        made = os.path.join(folder, "shard.calib")
        core.calibrate(described["model"], made, data=_data(described["data"]), shard=part, progress=False, **described["options"])
        got = core.inspect(made).fingerprint
        if got != described["model_fingerprint"]:
            raise ModelError(3013, f"{run}: {described['model']} is not the model that was described (fingerprint {got[:12]}…)",
                             "describe the run again", exit_status=2)
        # Beside the result first: another disk can't be renamed from.
        copy = result.with_name(f".{result.name}.{os.uname().nodename}-{os.getpid()}")
        shutil.copyfile(made, copy)
        os.replace(copy, result)


def _data(sources):
    functions = [source for source in sources if source.startswith("python:")]
    if not functions:
        return sources or None  # beside `input`
    if len(sources) > 1:
        raise ConfigError(1004, f"data: got {functions[0]} and {len(sources) - 1} more, wanted one function", exit_status=2)
    _, module, name = (functions[0].split(":") + [""])[:3]
    try:
        return getattr(importlib.import_module(module), name)()
    except (ImportError, AttributeError) as error:
        raise NotFound(3001, f"data: {functions[0]}: {error}", "wanted python:package.module:function", 2) from None
