"""Activations in uint16 become int16, with the same scales; weights stay int8."""
import sys

import numpy as np

from ._command import model_tool
from ._retype import retype

main = model_tool(__doc__, ("input", "output"), lambda model, _: retype(model, np.uint16, np.int16))

if __name__ == "__main__":
    sys.exit(main())
