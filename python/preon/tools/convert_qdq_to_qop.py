"""Q/DQ pairs become integer operators: QLinearConv and others."""
import sys

from ..core import passes
from ._command import model_tool


def convert_qdq_to_qop(model):
    """Nodes around which not all is quantized keep their pairs."""
    return passes(model, names=["qoperator"]).model


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: convert_qdq_to_qop(model))

if __name__ == "__main__":
    sys.exit(main())
