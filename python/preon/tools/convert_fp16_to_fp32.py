"""A float16 model computes in float32."""
import sys

from ..core import passes
from ._command import EXTERNAL_DATA, model_tool


def convert(model):
    """Inputs and outputs stay float16, with Casts next to them."""
    return passes(model, names=["convert_float16"]).model


main = model_tool(__doc__, ("--input", "--output"), lambda model, _: convert(model), save_as_external_data=EXTERNAL_DATA)

if __name__ == "__main__":
    sys.exit(main())
