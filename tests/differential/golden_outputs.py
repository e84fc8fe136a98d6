"""Outputs of a written model against those that were stored with a golden graph (testdata/quark/graphs), of the same sample.

They are equal bit for bit where nothing is left to the processor: every operator is one rounded operation per value, or sums products of codes
that float32 holds exactly in any order. The order of other sums, and what Exp or Erf return, is the runtime's and the processor's: such outputs
are equal bit for bit where the stored graph, run here, has the stored outputs, else within one step of the output's type."""
import functools

import graph_goldens
import numpy as np
import onnx
from onnx import helper, numpy_helper

#: One rounded operation of float32 per value, or none at all: the same bits everywhere.
DETERMINED = {
    "QuantizeLinear", "DequantizeLinear", "ExtendedQuantizeLinear", "ExtendedDequantizeLinear", "BFPQuantizeDequantize", "MXQuantizeDequantize",
    "Add", "Sub", "Mul", "Div", "Sqrt", "Reciprocal", "Floor", "Max", "Min", "Relu", "Clip", "PRelu", "LeakyRelu", "Cast", "Constant", "Identity",
    "Dropout", "MaxPool", "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Concat", "Split", "Slice", "Gather", "Pad",
    "ConvInteger", "MatMulInteger", "DynamicQuantizeLinear",
}
#: Where the output's channels lie in the weight.
CHANNELS = {"Conv": 0, "ConvTranspose": 1, "MatMul": -1, "Gemm": 1}
#: Sums of products of codes, for which a processor needs VNNI or its like.
INTEGER = {"ConvInteger", "MatMulInteger", "DynamicQuantizeLSTM", "QGemm", "QLinearConv", "QLinearMatMul"}
#: The largest integer to which float32 has all.
EXACT = 2.0**24
# Bits of the fraction of one element, which the step at the largest value of a block follows from.
FRACTIONS = {"int8": 7, "fp8_e5m2": 3, "fp8_e4m3": 4, "fp6_e3m2": 3, "fp6_e2m3": 4, "fp4_e2m1": 2}
#: Models whose stored graphs tell how this processor computes, for graphs that are not stored in full.
PROBES = ("attention", "conv_relu_conv", "gelu_op", "gemm", "instancenorm_op", "layernorm_op", "silu", "softmax_head")


class _Graph:
    def __init__(self, model):
        self.producer = {output: node for node in model.graph.node for output in node.output}
        self.constants = {value.name: value for value in model.graph.initializer}

    def codes(self, tensor):
        """(codes less the zero point or the largest that there can be, scales) of what a DequantizeLinear writes; None of anything else."""
        node = self.producer.get(tensor)
        if node is None or node.op_type != "DequantizeLinear" or node.input[1] not in self.constants:
            return None
        scale = numpy_helper.to_array(self.constants[node.input[1]])
        if scale.size != 1 or np.frexp(scale.item())[0] != 0.5:
            return None
        zero = self.constants.get(node.input[2]) if len(node.input) > 2 else None
        middle = numpy_helper.to_array(zero).astype(np.float64).item() if zero is not None else 0
        if node.input[0] in self.constants:
            return np.abs(numpy_helper.to_array(self.constants[node.input[0]]).astype(np.float64) - middle), scale.item()
        reach = np.iinfo(helper.tensor_dtype_to_np_dtype(zero.data_type)) if zero is not None else np.iinfo(np.uint8)
        return max(reach.max - middle, middle - reach.min), scale.item()

    def sum_is_exact(self, node):
        """Is no sum of products of codes, in whatever order, longer than float32 holds? Scales of powers of two change nothing about that."""
        operands = [self.codes(tensor) for tensor in node.input if tensor]
        if any(operand is None for operand in operands) or node.op_type == "Gemm" and any(a.name in ("alpha", "beta") and a.f != 1 for a in node.attribute):
            return False
        (largest, scale), (weights, weight_scale), *bias = operands
        if not isinstance(weights, np.ndarray) or isinstance(largest, np.ndarray):
            return False
        axis = CHANNELS[node.op_type] - (node.op_type == "Gemm" and any(a.name == "transB" and a.i for a in node.attribute))
        axis %= weights.ndim
        bound = weights.sum(axis=tuple(each for each in range(weights.ndim) if each != axis)).max() * largest
        unit = scale * weight_scale
        for codes, bias_scale in bias:
            bound, unit = (bound * unit + np.max(codes) * bias_scale) / min(unit, bias_scale), min(unit, bias_scale)
        return bound <= EXACT


def is_determined(model):
    """Does nothing in this graph depend on the order of sums or on functions that processors compute in several ways?"""
    graph = _Graph(model)
    return all(node.op_type in DETERMINED or node.op_type in CHANNELS and graph.sum_is_exact(node) for node in model.graph.node)


def step_of(model, output, values):
    """What one code of an output stands for; of blocks and short floats at the largest value, of float32 that of 8 bits."""
    graph = _Graph(model)
    node = graph.producer.get(output)
    largest = np.max(np.abs(values), initial=0)
    if node is not None and node.op_type == "DequantizeLinear":
        return np.max(numpy_helper.to_array(graph.constants[node.input[1]])).item()
    attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute} if node is not None else {}
    if "element_dtype" in attributes:
        return largest * 2.0 ** (1 - FRACTIONS[attributes["element_dtype"].decode()])
    if "bit_width" in attributes:
        return largest * 2.0 ** (10 - attributes["bit_width"])
    return largest * 2.0**-7


def _equal(got, stored):
    return all(values.astype(np.float32).tobytes() == graph_goldens.stored_floats(stored[name]).tobytes() for name, values in got.items())


def feeds(model, name):
    """The stored sample, in the type and the order of axes that the model's inputs have."""
    sample = graph_goldens.sample(name)
    for each in model.graph.input:
        values = sample[each.name].astype(helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type))
        dims = [dim.dim_value for dim in each.type.tensor_type.shape.dim]
        moved = len(dims) == 4 and all(dims) and dims != list(values.shape) and dims == [values.shape[axis] for axis in (0, 2, 3, 1)]
        sample[each.name] = values.transpose(0, 2, 3, 1) if moved else values
    return sample


def _computes_as_stored(name, run, like):
    """Has the stored graph, run here, the stored outputs? None: it is not stored in full."""
    try:
        stored = graph_goldens.stored_model(run, graph_goldens.constants(onnx.load(graph_goldens.GRAPHS / "models" / f"{name}.onnx")), like)
        return _equal(graph_goldens.outputs(stored, feeds(stored, name)), run["y"])
    except (graph_goldens.NotStored, *graph_goldens.DOES_NOT_RUN):
        return None


@functools.cache
def _probes_compute_as_stored():
    return all(_computes_as_stored(name, graph_goldens.stored_run("int", name, "U8S8_AAWS"), onnx.load(graph_goldens.GRAPHS / "models" / f"{name}.onnx"))
               for name in PROBES)


def compare(name, run, path):
    """How the outputs of the model at `path` are to those of a stored run: "equal" bit for bit, "near" where they may be, or what is wrong."""
    model = onnx.load(path)
    got = graph_goldens.outputs(model, feeds(model, name))
    if set(got) != set(run["y"]):
        return f"outputs {sorted(got)} in place of {sorted(run['y'])}"
    if _equal(got, run["y"]):
        return "equal"
    if any(node.op_type in INTEGER for node in model.graph.node) and not graph_goldens.adds_in_32_bits():
        return "near"
    if is_determined(model):
        return "other bits in a graph without rounding of sums"
    same = _computes_as_stored(name, run, model)
    if _probes_compute_as_stored() if same is None else same:
        return "other bits, where the stored graph gives the stored ones"
    for output, values in got.items():
        stored = graph_goldens.stored_floats(run["y"][output]).astype(np.float64)
        apart = np.abs(values.ravel().astype(np.float64) - stored)
        if not np.max(apart, initial=0) <= 1.01 * step_of(model, output, stored):
            return f"{output}: {np.max(apart) / step_of(model, output, stored):.3g} steps apart"
    return "near"
