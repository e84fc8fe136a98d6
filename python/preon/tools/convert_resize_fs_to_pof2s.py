"""The quantizers of each Resize's input and output get scales that are powers of two, the smallest that hold their range: signed types with zero point
0, unsigned ones with another zero point. int32 biases of nodes that read them get the scale input scale x weight scale."""
import sys

import numpy as np

from ..errors import ConfigError
from ._command import model_tool
from ._pairs import Pairs
from ._retype import Params, with_fitting_biases


def convert_resize_fs_to_pof2s(model):
    """Returns a model. Raises ConfigError where no Resize stands beside a quantizer of an integer type."""
    pairs = Pairs(model)
    params = Params(pairs, "pof2s")
    found = 0
    for quantize, dequantizers in pairs.of_activations():
        upper = pairs.producers.get(quantize.input[0])
        lower = [reader for each in dequantizers for reader, index in pairs.readers(each.output[0]) if index == 0]
        beside = any(each is not None and each.op_type == "Resize" for each in [upper, *lower])
        if not beside or not params.are_constant(quantize) or pairs.array(quantize.input[2]).dtype.kind not in "iu":
            continue
        found += 1
        params.change([quantize, *dequantizers], power_of_two)
    if not found:
        raise ConfigError(1004, "no Resize of the model stands beside a quantizer of an integer type", exit_status=2)
    pairs.finish()
    return with_fitting_biases(model)


def power_of_two(scale, zero):
    """(scale, zero point) whose range holds that of these."""
    codes, offset = np.iinfo(zero.dtype), zero.astype(np.int64)
    if codes.min == 0:
        powers = np.exp2(np.ceil(np.log2(scale)))
        return powers, np.rint(offset * scale / powers).astype(zero.dtype)
    largest = np.maximum(offset - codes.min, codes.max - offset) * scale
    return np.exp2(np.ceil(np.log2(largest / -codes.min))), np.zeros_like(zero)


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: convert_resize_fs_to_pof2s(model))

if __name__ == "__main__":
    sys.exit(main())
