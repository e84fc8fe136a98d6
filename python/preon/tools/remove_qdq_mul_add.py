"""Removes the Q/DQ pairs between Mul and Add."""
import sys

from ._command import model_tool
from .remove_qdq_between_ops import remove_and_tell, remove_qdq_between_ops

_BETWEEN = [("Mul", "Add")]


def remove_qdq_mul_add(onnx_model):
    return remove_qdq_between_ops(onnx_model, _BETWEEN)


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: remove_and_tell(model, _BETWEEN))

if __name__ == "__main__":
    sys.exit(main())
