"""Activations of another type whose codes are the same but for an offset.

Unlike the passes unsigned_activations and signed_activations, as AMD Quark's tools: any two types of one size, DequantizeLinear nodes without a
zero point too, and the codes of constants stay as they are.
"""
import numpy as np

from ..errors import ConfigError
from ._pairs import Pairs


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
