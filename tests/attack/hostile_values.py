"""What all changes to a model share: values at which arithmetic and readers break, and a part of the model by chance."""
import numpy as np
from onnx import AttributeProto, TensorProto, helper

SIZES = [0, -1, 1, 2, 3, 7, 65, 1 << 16, (1 << 31) - 1, 1 << 31, -(1 << 31), (1 << 62) + 1, (1 << 63) - 1, -(1 << 63)]
FLOATS = [0.0, -1.0, 1e-45, 1e38, float("nan"), float("inf"), -float("inf")]
OPERATORS = ["Conv", "ConvTranspose", "MatMul", "Gemm", "Relu", "Add", "Div", "Reshape", "Transpose", "Concat", "Split", "Slice",
             "Gather", "GatherND",
             "ScatterND", "Pad", "Resize", "MaxPool", "AveragePool", "Softmax", "LSTM", "GRU", "RNN", "TopK", "Loop", "If", "Scan",
             "Constant",
             "ConstantOfShape", "Expand", "Tile", "OneHot", "Range", "Einsum", "SpaceToDepth", "DepthToSpace", "NonMaxSuppression",
             "QuantizeLinear",
             "DequantizeLinear", "SequenceConstruct", "Optional", "StringNormalizer", "Attention", "GroupNormalization", "Clip",
             "Cast", "Nothing", ""]
ATTRIBUTES = ["axis", "axes", "group", "pads", "strides", "dilations", "kernel_shape", "output_shape", "blocksize", "hidden_size",
              "perm", "to", "epsilon",
              "keepdims", "batch_dims", "num_outputs", "mode", "equation", "direction", "activations", "value", "alpha", "transB",
              "body", "then_branch"]
#: Stands for four bytes that are no UTF-8; the message can't hold them, its bytes can.
NO_UTF8 = "ZQ8ZQ8ZQ"
NAMES = ["", "y", "x", "long " * 40000, "a\nb", "a\r\npreon: error [E9999] false\n", "\x1b[31mred\x1b[0m\x07", "nul\0byte", NO_UTF8,
         "../../up", "/etc/x",
         "\u202etxt.exe", "%s%n%d", '"}, {"', "<b>&amp;", "x" * 300, "preon.model", "calib/…"]
LOCATIONS = ["../w.bin", "/etc/passwd", "/dev/zero", "absent.bin", "", ".", "folder", "fifo", "link", "w.bin/../w.bin", "./w.bin",
             "model.onnx",
             "a" * 5000, "w.bin\n", "folder/../../w.bin", NO_UTF8]


def pick(rng, values):
    """None of none."""
    values = list(values)
    return values[int(rng.integers(len(values)))] if values else None


def all_graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
                yield from all_graphs(inner)


def graph_of(rng, model):
    return pick(rng, all_graphs(model.graph))


def node_of(rng, model):
    in_functions = [node for function in model.functions for node in function.node]
    return pick(rng, [node for graph in all_graphs(model.graph) for node in graph.node] + in_functions)


def tensor_of(rng, model):
    nodes = [node for graph in all_graphs(model.graph) for node in graph.node]
    values = [attribute.t for node in nodes for attribute in node.attribute if attribute.HasField("t")]
    return pick(rng, [tensor for graph in all_graphs(model.graph) for tensor in graph.initializer] + values)


def any_name(rng, graph):
    names = [name for node in graph.node for name in (*node.input, *node.output)] + [tensor.name for tensor in graph.initializer]
    return pick(rng, names) or ""


def hostile_attribute(rng, name):
    size = lambda: int(pick(rng, SIZES))
    value = pick(rng, [size(), [size() for _ in range(int(rng.integers(1, 6)))], float(pick(rng, FLOATS)), [float(pick(rng, FLOATS))] * 3,
                       pick(rng, NAMES), [pick(rng, NAMES)] * 2, TensorProto(data_type=int(rng.integers(0, 30)), dims=[size()],
                                                                             raw_data=b"\1\2"), None])
    if value is None:  # a type without its value, or a list without anything in it
        return AttributeProto(name=name, type=int(rng.integers(0, 17)))
    return helper.make_attribute(name, value)
