"""uint16 codes become uint8 ones of the same range: scales times 257, zero points divided by 257 and rounded. uint16 constants are rounded again, and
int32 biases get the scale input scale x weight scale. No samples are needed; activations lose 8 of their 16 bits."""
import sys

from ._command import model_tool
from ._retype import halve_bits, with_fitting_biases


def convert_u16u8_to_u8u8(model):
    """Returns a model. Raises ConfigError where nothing is uint16."""
    return with_fitting_biases(halve_bits(model))


main = model_tool(__doc__, ("input", "output"), lambda model, _: convert_u16u8_to_u8u8(model))

if __name__ == "__main__":
    sys.exit(main())
