"""Biases in int32 become int16: codes beyond 16 bits saturate, scales stay. Raises the opset to 21 where it is lower."""
import sys

import numpy as np

from ._command import model_tool
from ._pairs import DEQUANTIZERS, Pairs

_WITH_BIAS = ("Conv", "ConvTranspose", "Gemm", "LayerNormalization", "InstanceNormalization", "BatchNormalization")
_FIRST_OPSET = 21


def convert(model):
    pairs = Pairs(model)
    limits = np.iinfo(np.int16)
    for node in pairs.graph.node:
        bias = pairs.producers.get(node.input[2]) if node.op_type in _WITH_BIAS and len(node.input) > 2 else None
        if bias is None or bias.op_type not in DEQUANTIZERS or bias.input[0] not in pairs.constants:
            continue
        for name in [bias.input[0], *bias.input[2:3]]:
            if pairs.array(name).dtype == np.int32:
                pairs.set_constant(name, np.clip(pairs.array(name), limits.min, limits.max).astype(np.int16))
    for each in model.opset_import:
        if each.domain in ("", "ai.onnx"):
            each.version = max(each.version, _FIRST_OPSET)
    return model


main = model_tool(__doc__, ("--input_model_path", "--output_model_path"), lambda model, _: convert(model))

if __name__ == "__main__":
    sys.exit(main())
