"""A quantized model in float: without its quantizers, weights as the floats that their codes stand for."""
import sys

from ._command import model_tool
from ._to_float import to_float

main = model_tool(__doc__, ("input", "output"), lambda model, _: to_float(model))

if __name__ == "__main__":
    sys.exit(main())
