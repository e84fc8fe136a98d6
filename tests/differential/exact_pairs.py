"""Runs a Q/DQ model of a few operators in double precision, where the order of sums changes no code: an oracle for fake quantization."""
import numpy as np
import onnx
import torch
from onnx import numpy_helper

F = torch.nn.functional


def _attributes(node):
    return {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}


def _along(values, x, axis):
    """One number, or one per index of the axis."""
    return values.reshape([-1 if i == axis % x.dim() else 1 for i in range(x.dim())]) if values.numel() > 1 else values.reshape(())


def _quantize(x, scale, zero_point, axis=1):
    limits = torch.iinfo(zero_point.dtype)
    return (torch.round(x / _along(scale, x, axis)) + _along(zero_point, x, axis)).clamp(limits.min, limits.max).to(zero_point.dtype)


def _dequantize(codes, scale, zero_point, axis=1):
    if codes.dtype == torch.int32:  # a bias: a constant in single precision, as in every runtime
        return (codes.float() * _along(scale.float(), codes, axis)).double()
    return (codes.double() - _along(zero_point, codes, axis).double()) * _along(scale, codes, axis)


def _conv(x, weight, bias=None, pads=(0, 0, 0, 0), strides=(1, 1), dilations=(1, 1), group=1, **_):
    return F.conv2d(F.pad(x, [pads[1], pads[3], pads[0], pads[2]]), weight, bias, tuple(strides), 0, tuple(dilations), group)


def _gemm(a, b, c=None, transA=0, transB=0, alpha=1.0, beta=1.0):  # noqa: N803
    product = alpha * (a.t() if transA else a) @ (b.t() if transB else b)
    return product if c is None else product + beta * c


def _slice(x, starts, ends, axes=None, steps=None):
    axes = range(len(starts)) if axes is None else axes.tolist()
    for axis, start, end, step in zip(axes, starts.tolist(), ends.tolist(), steps.tolist() if steps is not None else [1] * len(starts)):
        index = [slice(None)] * x.dim()
        index[axis] = slice(start, end, step)
        x = x[tuple(index)]
    return x


def _pad(x, pads, value=None, **_):
    pads = pads.tolist()
    sizes = [size for axis in reversed(range(x.dim())) for size in (pads[axis], pads[axis + x.dim()])]
    return F.pad(x, sizes, value=0.0 if value is None else float(value))


OPERATORS = {
    "QuantizeLinear": _quantize, "DequantizeLinear": _dequantize, "Conv": _conv, "Gemm": _gemm, "Slice": _slice, "Pad": _pad,
    "Relu": torch.relu, "Add": torch.add, "MatMul": torch.matmul, "GlobalAveragePool": lambda x: x.mean((2, 3), keepdim=True),
    "Flatten": lambda x, axis=1: x.reshape(x.shape[0], -1), "Concat": lambda *x, axis: torch.cat(x, axis),
    "Reshape": lambda x, shape, **_: x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(shape.tolist())]),
}


def _run(graph, constants, x):
    tensors = {**constants, graph.input[0].name: x}
    for node in graph.node:
        tensors[node.output[0]] = OPERATORS[node.op_type](*(tensors[name] if name else None for name in node.input), **_attributes(node))
    return tensors[graph.output[0].name]


def top_classes(path, inputs, batch=50):
    """Index of the largest output of each sample."""
    graph = onnx.load(path).graph
    constants = {each.name: torch.from_numpy(numpy_helper.to_array(each).copy()) for each in graph.initializer}
    constants = {name: value.double() if value.is_floating_point() else value for name, value in constants.items()}
    batches = (torch.from_numpy(inputs[i:i + batch]).double() for i in range(0, len(inputs), batch))
    return torch.cat([_run(graph, constants, x).argmax(1) for x in batches]).numpy()
