"""What tests of AMD Quark's keys share: a model with one of everything that a key is about, runs, and views of what is written."""
import collections
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

QUARK = ["--target", "quark", "--method", "minmax"]
WIDE = [*QUARK, "--activation", "int16", "--weight", "int8"]   # the extended format
CENTRED = [*QUARK, "--activation", "int8", "--symmetric"]   # codes absorb no Relu
#: Of mixed_model(): what it is calibrated with.
SAMPLES = np.random.default_rng(4).normal(size=(8, 4, 8, 8)).astype(np.float32)


def key(setting):
    return ["--option", setting]


def ranged(tensor):
    """So that the tensor has a scale of its own."""
    return [*WIDE, *key(f"TensorQuantOverrides={{\"{tensor}\": [{{\"rmin\": -1, \"rmax\": 1}}]}}")]


def mixed_model():
    """[1,4,8,8] through one of everything that a key is about."""
    rng = np.random.default_rng(3)
    nodes, weights, opset = [], {}, 21

    def add(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output] if isinstance(output, str) else output, name=f"n_{output if isinstance(output, str) else output[0]}",
                                      **attributes))
        return output

    def constant(name, values):
        weights[name] = np.asarray(values)
        return name

    def conv(tensor, output):
        return add("Conv", [tensor, constant(f"{output}_w", rng.normal(size=(4, 4, 1, 1)).astype(np.float32) / 2),
                            constant(f"{output}_b", rng.normal(size=4).astype(np.float32))], output)

    zero, six = constant("zero", np.float32(0)), constant("six", np.float32(6))
    x = add("Relu", [conv("x", "c1")], "relu")
    x = add("Clip", [conv(x, "c2"), zero, six], "clip")
    x = add("LeakyRelu", [conv(x, "c3")], "leaky")
    x = add("PRelu", [conv(x, "c4"), constant("slope", np.full((4, 1, 1), 0.1, np.float32))], "prelu")
    x = add("Gelu", [conv(x, "c5")], "gelu")
    x = add("InstanceNormalization", [x, constant("gamma", np.ones(4, np.float32)), constant("beta", np.zeros(4, np.float32))], "norm")
    x = add("Relu", [x], "norm_relu")
    x = add("Mul", [x, constant("factor", rng.normal(size=(1, 4, 1, 1)).astype(np.float32))], "mul")
    x = add("Add", [x, constant("term", rng.normal(size=(1, 4, 1, 1)).astype(np.float32))], "add")
    x = add("Pad", [x, constant("pads", np.array([0, 0, 1, 1, 0, 0, 1, 1])), constant("edge", np.float32(0.5))], "pad")
    x = add("MaxPool", [x], "pool", kernel_shape=[3, 3])
    x = add("Concat", [x, "relu"], "concat", axis=1)
    x = add("Slice", [x, constant("start", np.array([2])), constant("end", np.array([6])), constant("axis", np.array([1]))], "slice")
    x = conv(x, "c6")
    x = add("Mul", [x, add("GlobalAveragePool", [x], "squeezed")], "excited")
    x = add("Transpose", [x], "transpose", perm=[0, 2, 3, 1])
    x = add("Reshape", [x, constant("shape", np.array([64, 4]))], "reshape")
    x = add("MatMul", [x, constant("m_w", rng.normal(size=(4, 4)).astype(np.float32))], "matmul")
    y = add("Transpose", [x], "turned", perm=[1, 0])
    x = add("Softsign", [add("MatMul", [x, y], "dynamic")], "between")
    x = add("Gemm", [x, constant("g_w", rng.normal(size=(64, 3)).astype(np.float32)), constant("g_b", np.zeros(3, np.float32))], "gemm")
    x = add("Sinh", [add("Clip", [x, constant("low", np.float32(-1)), constant("high", np.float32(1))], "bounded")], "y")
    graph = helper.make_graph(nodes, "mixed", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [64, 3])],
                              [numpy_helper.from_array(value, name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    onnx.save(mixed_model(), folder / "mixed.onnx")
    np.savez(folder / "calib.npz", x=SAMPLES)
    return folder


@pytest.fixture
def run(preon, workplace):
    preon.folder = workplace

    def quantized(*arguments, data=("--data", "calib.npz"), model="mixed.onnx"):
        done = preon("quantize", model, "-o", "out.onnx", *data, "--json", *arguments)
        assert done.returncode == 0, done.stderr
        written = onnx.load(workplace / "out.onnx")
        asked = [entry for entry in written.metadata_props if entry.key == "preon.options"]  # also what has no effect
        for entry in asked:
            written.metadata_props.remove(entry)
        return written.SerializeToString(deterministic=True), json.loads(done.stdout)

    return quantized


class Written:
    """A quantized model by its tensors."""

    def __init__(self, content):
        self.graph = onnx.load_from_string(content).graph
        self.constants = {each.name: each for each in self.graph.initializer}
        self.nodes = {node.name: node for node in self.graph.node}
        self.kinds = collections.Counter(node.op_type for node in self.graph.node)
        #: Tensors with a pair, or an operator for blocks.
        self.pairs = {node.name.removesuffix("_QuantizeLinear") for node in self.graph.node if node.name.endswith("_QuantizeLinear")}
        self.pairs |= {node.name.removesuffix("_DequantizeLinear") for node in self.graph.node if node.op_type == "BFPQuantizeDequantize"}
        #: Constants that are codes.
        self.coded = {name.removesuffix("_quantized") for name in self.constants if name.endswith("_quantized")}

    def values(self, name):
        return numpy_helper.to_array(self.constants[name])

    def type(self, name):
        """Of a constant's elements; None where there is no such constant."""
        return self.constants[name].data_type if name in self.constants else None

    def scale(self, tensor):
        return float(self.values(self.nodes[f"{tensor}_QuantizeLinear"].input[1]))

    def zero(self, tensor):
        return int(self.values(self.nodes[f"{tensor}_QuantizeLinear"].input[2]))

    def readers(self, tensor):
        return [node.name for node in self.graph.node if tensor in node.input]

    def domains(self):
        return {node.domain for node in self.graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear")}
