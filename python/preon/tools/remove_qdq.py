"""Removes all Q/DQ pairs; weights become the floats that their codes stand for."""
import sys

from ._command import model_tool
from ._to_float import to_float as remove_qdq

main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: remove_qdq(model))

if __name__ == "__main__":
    sys.exit(main())
