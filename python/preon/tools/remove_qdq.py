"""Removes all Q/DQ pairs; weights become the floats that their codes stand for."""
import sys

from ._command import model_tool
from ._to_float import to_float

main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: to_float(model))

if __name__ == "__main__":
    sys.exit(main())
