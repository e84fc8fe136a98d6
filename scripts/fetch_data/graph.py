"""A few lines that make ONNX graphs, weights of PyTorch and safetensors files, and heads fitted by ridge regression."""
import collections
import io
import json
import pickle
import struct

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Grows node by node; each call returns the name of the node's output."""

    def __init__(self, opset=13):
        self.opset, self.nodes, self.constants, self.inputs = opset, [], {}, []

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def const(self, array, hint="c"):
        name = f"{hint}_constant_{len(self.constants)}"
        self.constants[name] = np.ascontiguousarray(array)
        return name

    def op(self, kind, *inputs, output=None, **attributes):
        inputs = [each if isinstance(each, str) else self.const(each, kind.lower()) for each in inputs]
        output = output or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=f"{kind}_{len(self.nodes)}", **attributes))
        return output

    def model(self, outputs):
        """outputs: name -> shape, None where it is not known."""
        graph = helper.make_graph(self.nodes, "made", self.inputs, [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in outputs.items()],
                                  [numpy_helper.from_array(value, name) for name, value in self.constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        if None not in outputs.values():
            onnx.checker.check_model(model)
        return model

    def run(self, output, feeds, batch=16):
        """Values of one tensor as the graph stands, samples along axis 0."""
        session = ort.InferenceSession(self.model({output: None}).SerializeToString(), providers=["CPUExecutionProvider"])
        count = len(next(iter(feeds.values())))
        parts = [session.run(None, {k: v[i:i + batch] for k, v in feeds.items()})[0] for i in range(0, count, batch)]
        return np.concatenate(parts)


def ridge(features, targets, strength=1e-2):
    """(weights [in, out], bias): least squares with a small penalty; features are scaled by their deviation first."""
    features, targets = features.astype(np.float64), targets.astype(np.float64)
    mean, deviation = features.mean(0), features.std(0) + 1e-3
    scaled = (features - mean) / deviation
    gram = scaled.T @ scaled + strength * len(scaled) * np.eye(scaled.shape[1])
    weights = np.linalg.solve(gram, scaled.T @ (targets - targets.mean(0))) / deviation[:, None]
    return weights.astype(np.float32), (targets.mean(0) - mean @ weights).astype(np.float32)


def one_hot(labels, count):
    return 2.0 * np.eye(count)[labels] - 1.0


def from_safetensors(content):
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + length])
    kinds = {"F32": np.float32, "I64": np.int64, "F16": np.float16}
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] in kinds:
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            arrays[name] = np.frombuffer(content[begin:end], kinds[entry["dtype"]]).reshape(entry["shape"])
    return arrays


class _Weights(pickle.Unpickler):
    """Reads a dictionary of tensors, and no other class."""

    def persistent_load(self, identifier):
        return identifier[1], identifier[2]  # type of the storage, its key

    def find_class(self, module, name):
        allowed = {("collections", "OrderedDict"): collections.OrderedDict, ("torch", "FloatStorage"): np.float32, ("torch", "LongStorage"): np.int64,
                   ("torch._utils", "_rebuild_tensor_v2"): lambda storage, offset, size, *_: (storage, offset, tuple(size))}
        if (module, name) not in allowed:
            raise pickle.UnpicklingError(f"{module}.{name} in a file of weights")
        return allowed[module, name]


def from_pytorch(content):
    """name -> array of a state dict in PyTorch's first file format (before 1.6)."""
    file = io.BytesIO(content)
    for _ in range(3):  # a magic number, the protocol, the system
        _Weights(file).load()
    tensors, keys = _Weights(file).load(), _Weights(file).load()
    kinds, storages = {storage[1]: storage[0] for storage, _, _ in tensors.values()}, {}
    for key in keys:
        count = struct.unpack("<q", file.read(8))[0]
        storages[key] = np.frombuffer(file.read(count * np.dtype(kinds[key]).itemsize), kinds[key])
    return {name: storages[storage[1]][offset:offset + int(np.prod(size))].reshape(size) for name, (storage, offset, size) in tensors.items()}
