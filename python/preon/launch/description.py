"""The description of a run: a JSON file that says what each shard computes and where its result goes (docs/design/shards.md)."""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
from collections.abc import Sequence
from typing import Any, Union

from ..core import inspect
from ..errors import ConfigError, DataError, NotFound
from ..options import Path
from ..settings import settings_of

FORMAT = 1
FIELDS = {"model": str, "model_fingerprint": str, "data": list, "data_fingerprint": str, "options": dict, "output": str, "results": list}
#: Options whose values are files; like the model and the data they are relative to the description's folder. `config` may be a preset.
PATHS = ("config", "labels", "only", "custom-op-library")
_NO_FILE = ("random:", "python:")


def describe(model: Path, run: Path, *, output: Path, shards: int, data: Union[Path, Sequence[Path]], **options: Any) -> dict[str, Any]:
    """Writes the description `run` of a calibration of `model` in `shards` parts, merged into `output`.

    data     what calibrate() takes as paths, one or a list ([] beside `input`); "python:package.module:function" names a function that
             gives what `data` of calibrate() may be, for object stores and formats of your own
    options  of calibrate()

    Gives the description as a dict. Raises what reading the model raises; ConfigError, NotFound.
    """
    if not isinstance(shards, int) or shards < 1:
        raise ConfigError(1002, f"shards: got '{shards}', wanted a number above 0", exit_status=2)
    folder = pathlib.Path(os.fsdecode(run)).resolve().parent
    sources = [os.fsdecode(source) for source in (data if isinstance(data, (list, tuple)) else [data])]
    settings: dict[str, list[str]] = {}
    for name, value in settings_of("calibrate", options):
        settings.setdefault(name, []).append(value)
    described = {
        "format": FORMAT,
        "model": _stored(os.fsdecode(model), folder),
        "model_fingerprint": inspect(model).fingerprint,
        "data": [_stored(source, folder) for source in sources],
        "data_fingerprint": fingerprint(sources + _input_sources(settings)),
        "options": {name: [_stored_option(name, value, folder) for value in values] for name, values in settings.items()},
        "output": _stored(os.fsdecode(output), folder),
    }
    # Results of another model, other data or options have other names: they can't be taken for those of this run.
    identity = hashlib.sha256(json.dumps({**described, "output": "", "shards": shards}, sort_keys=True).encode()).hexdigest()[:12]
    results = pathlib.Path(described["output"] + ".shards") / identity
    described["results"] = [str(results / f"{shard}.calib") for shard in range(1, shards + 1)]
    replace(os.fsdecode(run), json.dumps(described, indent=2) + "\n")
    return described


def read(run):
    """The description with paths as this process opens them. Raises ConfigError, NotFound."""
    try:
        described = json.loads(pathlib.Path(os.fsdecode(run)).read_text())
    except FileNotFoundError:
        raise NotFound(3001, f"{run}: no such file", exit_status=2) from None
    except ValueError as error:
        raise ConfigError(1005, f"{run}: not the description of a run: {error}", exit_status=2) from None
    if not isinstance(described, dict) or described.get("format") != FORMAT:
        raise ConfigError(1005, f"{run}: not the description of a run: wanted format {FORMAT}", exit_status=2)
    for name, kind in FIELDS.items():
        if not isinstance(described.get(name), kind):
            raise ConfigError(1005, f"{run}: not the description of a run: '{name}' is missing or of another type", exit_status=2)
    folder = pathlib.Path(os.fsdecode(run)).parent
    for name in ("model", "output"):
        described[name] = _opened(described[name], folder)
    for name in ("data", "results"):
        described[name] = [_opened(each, folder) for each in described[name]]
    described["options"] = {name: [_opened_option(name, value, folder) for value in values] for name, values in described["options"].items()}
    return described


def check_data(run, described):
    """Raises DataError where files of the data came, went or changed their size since the run was described."""
    if fingerprint(described["data"] + _input_sources(described["options"])) != described["data_fingerprint"]:
        raise DataError(3013, f"{run}: the data are not those that were described: {', '.join(described['data'])}",
                        "describe the run again", exit_status=2)


def fingerprint(sources):
    """Of the names and sizes of all files: contents may be terabytes, and times differ between copies."""
    seen = hashlib.sha256()
    for source in sources:
        if _is_no_file(source):
            seen.update(f"{source}\n".encode())
            continue
        root = pathlib.Path(source)
        if not root.exists():
            raise NotFound(3001, f"data: {source}: no such file or folder", exit_status=2)
        files = sorted(file for file in root.rglob("*") if file.is_file()) if root.is_dir() else [root]
        for file in files:
            name = file.relative_to(root) if root.is_dir() else file.name
            seen.update(f"{name} {file.stat().st_size}\n".encode())
    return seen.hexdigest()


def replace(path, text):
    """Written whole or not at all, even if other processes write it."""
    path = pathlib.Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text)
    os.replace(temporary, path)


def _input_sources(options):
    return [value.partition("=")[2] for value in options.get("input", [])]


def _stored_option(name, value, folder):
    if name == "input":
        key, _, source = value.partition("=")
        return f"{key}={_stored(source, folder)}"
    is_path = name in PATHS and (name != "config" or os.path.exists(value))
    return _stored(value, folder) if is_path else value


def _opened_option(name, value, folder):
    if name == "input":
        key, _, source = value.partition("=")
        return f"{key}={_opened(source, folder)}"
    is_path = name in PATHS and (name != "config" or (folder / value).exists())
    return _opened(value, folder) if is_path else value


def _is_no_file(source):
    return source.startswith(_NO_FILE) or "://" in source


def _stored(path, folder):
    return path if _is_no_file(path) or os.path.isabs(path) else os.path.relpath(path, folder)


def _opened(path, folder):
    return path if _is_no_file(path) else str(folder / path)
