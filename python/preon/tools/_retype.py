"""Quantizers with other types, scales and zero points.

retype() is unlike the passes unsigned_activations and signed_activations, as AMD Quark's tools: any two types of one size, DequantizeLinear nodes
without a zero point too, and the codes of constants stay as they are.
"""
import numpy as np
from onnx import TensorProto

from ..core import passes
from ..errors import ConfigError
from ._pairs import DEQUANTIZERS, QUANTIZERS, Pairs


def retype(model, before, after):
    """Zero points of activations in `before` become `after`, moved by half the number of codes; scales stay.

    Raises ConfigError where no activation has that type.
    """
    pairs = Pairs(model)
    offset = np.iinfo(after).min - np.iinfo(before).min
    count = 0
    for quantize, dequantizers in pairs.of_activations():
        if len(quantize.input) < 3 or quantize.input[2] not in pairs.constants:
            continue
        zero = pairs.array(quantize.input[2])
        if zero.dtype != np.dtype(before):
            continue
        moved = (zero.astype(np.int64) + offset).astype(after)
        name = f"{quantize.input[2]}_{np.dtype(after).name}"
        pairs.set_constant(name, moved)
        for node in [quantize, *dequantizers]:
            del node.input[2:]  # a DequantizeLinear without one has 0 of the codes' type
            node.input.append(name)
        count += 1
    if count == 0:
        raise ConfigError(1004, f"no activation of the model is {np.dtype(before).name}", exit_status=2)
    pairs.finish()
    return model


class Params:
    """New scales and zero points for quantizers of `pairs`; who reads the old ones elsewhere keeps them."""

    def __init__(self, pairs, suffix):
        self.pairs, self.suffix, self.made = pairs, suffix, {}

    def are_constant(self, quantize):
        return len(quantize.input) > 2 and all(name in self.pairs.constants for name in quantize.input[1:3])

    def change(self, nodes, rule):
        """All nodes, a quantizer or dequantizer and those of the same codes, get what `rule` makes of the first one's: (scale, zero point) -> the same."""
        old = tuple(nodes[0].input[1:3])
        if old not in self.made:
            scale, zero = self.pairs.array(old[0]), self.pairs.array(old[1])
            changed = rule(scale.astype(np.float64), zero)
            self.made[old] = [self._add(name, values) for name, values in zip(old, (changed[0].astype(scale.dtype), changed[1]))]
        for node in nodes:
            del node.input[1:]
            node.input.extend(self.made[old])

    def _add(self, name, values):
        before = self.pairs.array(name)
        if before.dtype == values.dtype and np.array_equal(before, values):
            return name
        number, wanted = 1, f"{name}_{self.suffix}"
        fresh = wanted
        while fresh in self.pairs.constants:
            fresh, number = f"{wanted}_{number}", number + 1
        self.pairs.set_constant(fresh, values.reshape(before.shape))
        return fresh


def halve_bits(model):
    """uint16 codes become uint8 ones of the same range. Raises ConfigError where there are none."""
    pairs = Pairs(model)
    params = Params(pairs, "uint8")

    def of_uint16(node):
        return params.are_constant(node) and pairs.array(node.input[2]).dtype == np.uint16

    found = 0
    for node in list(pairs.graph.node):
        if node.op_type in QUANTIZERS and of_uint16(node):
            nodes = [node, *(reader for reader, _ in pairs.readers(node.output[0]) if reader.op_type in DEQUANTIZERS)]
        elif node.op_type in DEQUANTIZERS and node.input[0] in pairs.constants and of_uint16(node):
            nodes = [node]
            _halve_constant(pairs, node)
        else:
            continue
        params.change(nodes, lambda scale, zero: (scale * 257, np.rint(zero / 257).astype(np.uint8)))
        found += 1
    if found == 0:
        raise ConfigError(1004, "the model has no uint16 codes", exit_status=2)
    pairs.finish()
    return model


def _halve_constant(pairs, node):
    """Its codes, rounded again under another name."""
    zero, axis = pairs.array(node.input[2]).astype(np.int64), next((each.i for each in node.attribute if each.name == "axis"), 1)
    codes, name = pairs.array(node.input[0]).astype(np.int64), f"{node.input[0]}_uint8"
    if zero.size > 1:
        zero = zero.reshape([-1 if at == axis % codes.ndim else 1 for at in range(codes.ndim)])
    halved = np.rint((codes - zero) / 257) + np.rint(zero / 257)
    pairs.set_constant(name, np.clip(halved, 0, 255).astype(np.uint8))
    node.input[0] = name


def with_fitting_biases(model):
    """int32 biases of quantized Conv and Gemm nodes get the scale input scale x weight scale, where they have another."""
    constants = {each.name for each in model.graph.initializer if each.data_type == TensorProto.INT32}
    producers = {output: node for node in model.graph.node for output in node.output}
    biases = [producers.get(node.input[2]) for node in model.graph.node if node.op_type in ("Conv", "Gemm") and len(node.input) > 2]
    coded = any(each is not None and each.op_type in DEQUANTIZERS and each.input[0] in constants for each in biases)
    return passes(model, names=["int32_biases"]).model if coded else model
