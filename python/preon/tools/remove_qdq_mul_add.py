"""Removes the Q/DQ pairs between Mul and Add."""
import sys

from ._command import model_tool
from .remove_qdq_between_ops import remove_qdq_between_ops


def remove_qdq_mul_add(onnx_model):
    return remove_qdq_between_ops(onnx_model, [("Mul", "Add")])


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: remove_qdq_mul_add(model))

if __name__ == "__main__":
    sys.exit(main())
