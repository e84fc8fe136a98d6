"""Biases in int32 become int16: codes beyond 16 bits saturate, scales stay. Raises the opset to 21 where it is lower."""
import sys

from ..core import passes
from ._command import model_tool, run_pass


def convert_bias_int32_to_int16(model):
    """The model, and whether it had such biases."""
    result = passes(model, names=["int16_biases"])
    return result.model, bool(result.passes[0]["changed"])


main = model_tool(__doc__, ("--input_model_path", "--output_model_path"),
                  lambda model, _: run_pass(model, "int16_biases", "no bias with int32 codes: nothing was changed"))

if __name__ == "__main__":
    sys.exit(main())
