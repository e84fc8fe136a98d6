"""A Clip to the finite values of bfloat16, ±3.3895314e38, in front of each bfloat16 quantizer of an activation (com.amd.quark, com.vai.quantize):
what exceeds them would be infinite in bfloat16."""
import sys

from ._command import model_tool, run_pass


def insert_clip_bfloat16_qdq(model):
    """Returns a new model; says on stderr where there is no such quantizer."""
    return run_pass(model, "bfloat16_clips", "no bfloat16 quantizer of an activation without a Clip in front: nothing was inserted")


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: insert_clip_bfloat16_qdq(model))

if __name__ == "__main__":
    sys.exit(main())
