"""Quantizers of the operator library and of com.microsoft become the standard's, where these have the type."""
import sys

from ..core import passes
from ._command import model_tool


def convert_customqdq_to_qdq(model):
    """Others keep their operators. The opset is raised to the first one whose operators have the types."""
    model.CopyFrom(passes(model, names=["standard_quantizers"]).model)
    return model


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: convert_customqdq_to_qdq(model))

if __name__ == "__main__":
    sys.exit(main())
