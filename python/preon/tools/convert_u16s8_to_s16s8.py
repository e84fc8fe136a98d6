"""Activations in uint16 become int16, with the same scales; weights stay int8."""
import sys

import numpy as np

from ._command import model_tool
from ._retype import retype


def convert_u16s8_to_s16s8(model):
    return retype(model, np.uint16, np.int16)


main = model_tool(__doc__, ("input", "output"), lambda model, _: convert_u16s8_to_s16s8(model))

if __name__ == "__main__":
    sys.exit(main())
