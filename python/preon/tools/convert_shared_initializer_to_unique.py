"""A copy of a shared constant for each use but the first, by nodes of the types given (default: all)."""
import sys

from ..core import passes
from ._command import model_tool


def convert(onnx_model, support_op_types=()):
    """The copies of w are duplicatedw2, duplicatedw3, …."""
    return passes(onnx_model, names=["copy_shared_initializers"], copy_type=list(support_op_types)).model


main = model_tool(__doc__, ("--input", "--output"), lambda model, given: convert(model, given.op_types or ()),
                  op_types={"nargs": "*", "help": "operator types"})

if __name__ == "__main__":
    sys.exit(main())
