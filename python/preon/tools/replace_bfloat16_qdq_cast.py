"""Quantizers to bfloat16 (com.amd.quark, com.vai.quantize) become Casts, with a Mul on either side where their scale is not 1: the model needs no
library of operators any more."""
import sys

from ._command import model_tool, run_pass


def replace_bfloat16_qdq_cast(model):
    """Returns a new model; says on stderr where there is no such pair, and which pairs stay and why."""
    return run_pass(model, "bfloat16_casts", "no bfloat16 quantizer that can become a Cast: nothing was replaced")


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: replace_bfloat16_qdq_cast(model))

if __name__ == "__main__":
    sys.exit(main())
