"""Stored runs of other quantizers on small models (spec vectors, graphs/): where they lie, and how models are held against them."""
import base64
import json
import os
import pathlib
from collections import Counter

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper, numpy_helper

DATA = pathlib.Path(os.environ.get("PREON_DATA") or pathlib.Path(__file__).resolve().parents[3] / "shared/data")
GRAPHS = DATA.parent / "spec/vectors/graphs"


def names(group, config):
    """The models that have a stored run of this configuration; a skip where the vectors are not there."""
    found = [path.stem for path in sorted((GRAPHS / group).glob("*.json")) if config in json.loads(path.read_text())]
    skip = pytest.mark.skip(reason=f"{GRAPHS} is not there (set PREON_DATA)")
    return found or [pytest.param("none", marks=skip)]


def stored_run(group, name, config):
    return json.loads((GRAPHS / group / f"{name}.json").read_text())[config]


def stored_operators(run):
    return Counter((node[0], node[1]) for node in run["nodes"])


def stored_constant(entry, source):
    """A constant of a stored run; None where only its digest is stored. `source`: constants of the float model."""
    if "src" in entry:
        return source[entry["src"]]
    kind = helper.tensor_dtype_to_np_dtype(onnx.TensorProto.DataType.Value(entry["t"].upper()))
    if "v" in entry:
        return np.array(entry["v"], kind).reshape(entry["d"])
    return np.frombuffer(base64.b64decode(entry["b64"]), kind).reshape(entry["d"]) if "b64" in entry else None


def stored_floats(text):
    return np.frombuffer(base64.b64decode(text), np.float32)


def constants(model):
    return {value.name: numpy_helper.to_array(value) for value in model.graph.initializer}


def operators(model):
    return Counter((node.op_type, node.domain) for node in model.graph.node)


def session(model, optimized=False):
    options = ort.SessionOptions()
    if not optimized:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def outputs(model, feeds, optimized=False):
    """output -> values, of the model as it stands or as the runtime optimizes it."""
    run = session(model, optimized)
    return dict(zip([output.name for output in run.get_outputs()], run.run(None, feeds)))


def arrays(name, part):
    """input -> values: `part` is test (the sample of the stored outputs) or calib (samples along axis 0)."""
    with np.load(GRAPHS / "inputs" / f"{name}.npz") as stored:
        return {key.removeprefix(f"{part}__"): stored[key] for key in stored if key.startswith(f"{part}__")}


def sample(name):
    return arrays(name, "test")
