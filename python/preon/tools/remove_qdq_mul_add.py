"""Removes the Q/DQ pairs between Mul and Add."""
import sys

from ._command import model_tool
from .remove_qdq_between_ops import remove_between

main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: remove_between(model, [("Mul", "Add")]))

if __name__ == "__main__":
    sys.exit(main())
