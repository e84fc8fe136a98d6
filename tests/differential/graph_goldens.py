"""Stored runs of other quantizers on small models (testdata/quark/graphs): where they lie, and how models are held against them."""
import base64
import functools
import hashlib
import json
import lzma
import os
import pathlib
from collections import Counter

import data_root
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

ort = pytest.importorskip("onnxruntime", reason="onnxruntime, which runs the models, is not installed")

DATA = data_root.data_root()
GRAPHS = data_root.QUARK / "graphs"
LIBRARY = pathlib.Path(os.environ.get("PREON_BUILD") or pathlib.Path(__file__).resolve().parents[2] / "build") / "lib/libpreon_ops.so"


# What the runtime says of a model that it can't load or run.
_errors = ort.capi.onnxruntime_pybind11_state
DOES_NOT_RUN = (_errors.Fail, _errors.InvalidArgument, _errors.InvalidGraph, _errors.NotImplemented, _errors.RuntimeException)


@functools.cache
def runs(group):
    """model -> configuration -> what was stored; empty for a group that there is not."""
    path = GRAPHS / f"{group}.json.xz"
    return json.loads(lzma.decompress(path.read_bytes())) if path.exists() else {}


def groups():
    return [path.name.removesuffix(".json.xz") for path in sorted(GRAPHS.glob("*.json.xz"))]


def names(group, config):
    """The models that have a stored run of this configuration."""
    return [model for model, stored in runs(group).items() if config in stored]


def stored_run(group, name, config):
    return runs(group)[name][config]


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


def is_stored(entry, source, values):
    """Whether these are the values of a constant of a stored run, by their digest where only that is stored."""
    if "sha1" in entry:
        return hashlib.sha1(values.tobytes()).hexdigest() == entry["sha1"]
    wanted = stored_constant(entry, source)
    return wanted.dtype == values.dtype and np.array_equal(wanted.ravel(), values.ravel())


class NotStored(Exception):
    """A constant of which only the digest is stored, or a sub-graph."""


def _attribute(value):
    if not isinstance(value, dict):
        return value
    if "d" not in value:
        raise NotStored("a sub-graph")
    return numpy_helper.from_array(stored_constant(value, {}))


def _initializer(name, entry, source):
    kind = onnx.TensorProto.DataType.Value(entry["t"].upper())
    if "b64" in entry and entry["t"] not in ("int4", "uint4"):
        return helper.make_tensor(name, kind, entry["d"], base64.b64decode(entry["b64"]), raw=True)
    value = stored_constant(entry, source)
    if value is None or entry["t"] in ("int4", "uint4"):
        raise NotStored(name)
    if entry["t"] in ("bfloat16", "float8e4m3fn"):
        return helper.make_tensor(name, kind, entry["d"], np.asarray(entry["v"], np.float32).ravel())
    return numpy_helper.from_array(value, name)


def stored_model(run, source, like):
    """The stored graph as a model that runs. `source`: constants of the float model; `like`: a model of the same operator sets."""
    nodes, made = [], {*run["init"], *(each[0] for each in run["inputs"]), ""}
    waiting = [helper.make_node(each[0], each[3], each[4], each[2], domain=each[1], **{name: _attribute(value) for name, value in (each[5] if len(each) > 5 else {}).items()})
               for each in run["nodes"]]
    while waiting:   # what the other tool has appended stands behind its readers
        ready = [node for node in waiting if set(node.input) <= made]
        assert ready, waiting[0]
        nodes += ready
        made.update(output for node in ready for output in node.output)
        waiting = [node for node in waiting if node not in ready]
    values = lambda those: [helper.make_tensor_value_info(name, onnx.TensorProto.DataType.Value(kind.upper()), None if dims is None else dims) for name, kind, dims in those]
    graph = helper.make_graph(nodes, "stored", values(run["inputs"]), values(run["outputs"]), [_initializer(name, entry, source) for name, entry in run["init"].items()])
    return helper.make_model(graph, opset_imports=like.opset_import, ir_version=like.ir_version)


def stored_floats(text):
    return np.frombuffer(base64.b64decode(text), np.float32)


def sqnr_db(wanted, got):
    error = np.square(wanted.astype(np.float64) - got).sum()
    return 10 * np.log10(np.square(wanted, dtype=np.float64).sum() / error) if error > 0 else np.inf


def constants(model):
    return {value.name: numpy_helper.to_array(value) for value in model.graph.initializer}


def operators(model):
    return Counter((node.op_type, node.domain) for node in model.graph.node)


def session(model, optimized=False):
    options = ort.SessionOptions()
    if any(node.domain == "com.amd.quark" for node in model.graph.node):
        options.register_custom_ops_library(str(LIBRARY))
    if not optimized:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def outputs(model, feeds, optimized=False):
    """output -> values, of the model as it stands or as the runtime optimizes it."""
    run = session(model, optimized)
    return dict(zip([output.name for output in run.get_outputs()], run.run(None, feeds)))


@functools.cache
def adds_in_32_bits():
    """Whether this processor adds products of codes as the one did on which outputs were stored (docs/design/placement.md)."""
    inputs = [helper.make_tensor_value_info("a", TensorProto.UINT8, [1, 2])]
    node = helper.make_node("MatMulInteger", ["a", "b"], ["y"])
    codes = numpy_helper.from_array(np.full((2, 1), 127, np.int8), "b")
    graph = helper.make_graph([node], "sum", inputs, [helper.make_tensor_value_info("y", TensorProto.INT32, [1, 1])], [codes])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return outputs(model, {"a": np.full((1, 2), 255, np.uint8)})["y"].item() == 2 * 255 * 127


# Of tests that run models whose weights use all codes, as those of other tools.
needs_sums_in_32_bits = pytest.mark.skipif(not adds_in_32_bits(), reason="this processor cuts off sums of two products (docs/design/placement.md)")


def arrays(name, part):
    """input -> values: `part` is test (the sample of the stored outputs) or calib (samples along axis 0)."""
    begin = f"{name}/{part}__"
    with np.load(GRAPHS / "inputs.npz") as stored:
        return {key.removeprefix(begin): stored[key] for key in stored if key.startswith(begin)}


def sample(name):
    return arrays(name, "test")
