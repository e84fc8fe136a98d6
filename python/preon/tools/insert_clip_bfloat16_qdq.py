"""A Clip to the finite values of bfloat16, ±3.3895314e38, in front of each bfloat16 quantizer of an activation (com.amd.quark, com.vai.quantize):
what exceeds them would be infinite in bfloat16."""
import sys

from ..core import passes
from ._command import model_tool, warn


def insert_clip_bfloat16_qdq(model):
    """Returns a new model; says on stderr where there is no such quantizer."""
    result = passes(model, names=["bfloat16_clips"])
    if not result.passes[0]["changed"]:
        warn("no bfloat16 quantizer of an activation without a Clip in front: nothing was inserted")
    for each in result.warnings:
        warn(each)
    return result.model


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: insert_clip_bfloat16_qdq(model))

if __name__ == "__main__":
    sys.exit(main())
