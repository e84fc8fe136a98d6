"""Quantizers of the operator library become the standard's, where these have the type."""
import sys

import numpy as np

from ._command import model_tool
from ._pairs import DEQUANTIZERS, QUANTIZERS, Pairs

_FIRST_OPSET = {"int8": 10, "uint8": 10, "int32": 10, "int16": 21, "uint16": 21, "int4": 21, "uint4": 21}


def convert_customqdq_to_qdq(model):
    """Others keep their operators."""
    pairs = Pairs(model)
    needs = 0
    for node in pairs.graph.node:
        if node.op_type not in QUANTIZERS + DEQUANTIZERS or node.domain in ("", "ai.onnx") or len(node.input) < 3:
            continue
        opset = _first_opset(pairs, node)
        if opset:
            node.op_type = "QuantizeLinear" if node.op_type in QUANTIZERS else "DequantizeLinear"
            node.domain = ""
            needs = max(needs, opset)
    for each in model.opset_import:
        if each.domain in ("", "ai.onnx"):
            each.version = max(each.version, needs)
    return model


def _first_opset(pairs, node):
    """From which opset the standard has the operator with the node's type, or None.

    Of int32 it has only DequantizeLinear, with zero point 0; one that reads a quantizer stays with it.
    """
    if node.input[2] not in pairs.constants:
        return None
    zero = pairs.array(node.input[2])
    if zero.dtype == np.int32 and (node.op_type in QUANTIZERS or node.input[0] not in pairs.constants or zero.any()):
        return None
    return _FIRST_OPSET.get(zero.dtype.name)


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: convert_customqdq_to_qdq(model))

if __name__ == "__main__":
    sys.exit(main())
