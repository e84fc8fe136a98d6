"""Activations in int8 become uint8, with the same scales; weights stay int8."""
import sys

import numpy as np

from ._command import model_tool
from ._retype import retype


def convert_s8s8_to_u8s8(model):
    return retype(model, np.int8, np.uint8)


main = model_tool(__doc__, ("input", "output"), lambda model, _: convert_s8s8_to_u8s8(model))

if __name__ == "__main__":
    sys.exit(main())
