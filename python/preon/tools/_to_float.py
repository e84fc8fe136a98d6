"""A quantized model without its quantizers."""
import numpy as np

from ._pairs import DEQUANTIZERS, Pairs, dequantized


def to_float(model):
    """Pairs of activations go, constants become the floats that their codes stand for."""
    pairs = Pairs(model)
    for _, dequantizers in pairs.of_activations():
        for each in dequantizers:
            pairs.remove(each)
    for node in list(pairs.graph.node):
        if id(node) in pairs.gone or node.op_type not in DEQUANTIZERS:
            continue
        quantize = pairs.producers.get(node.input[0])
        if quantize is not None and quantize.input[0] in pairs.constants:
            pairs.remove(node)
        elif node.input[0] in pairs.constants:
            pairs.set_constant(node.output[0], np.ascontiguousarray(dequantized(pairs, node)))
            pairs.gone.add(id(node))
    pairs.finish()
    return model
