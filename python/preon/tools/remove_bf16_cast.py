"""Casts to bfloat16 and back go, but behind the inputs; constants hold bfloat16's values as floats. For compilers that compute in bfloat16 anyway:
elsewhere activations are rounded no more."""
import sys

from ..core import passes
from ._command import EXTERNAL_DATA, model_tool, warn


def remove_bf16_cast(model):
    """Returns a new model; says on stderr where there are no such Casts."""
    result = passes(model, names=["remove_bfloat16_casts"])
    if not result.passes[0]["changed"]:
        warn("no pair of Casts to bfloat16 and back behind a node or constant: nothing was removed")
    for each in result.warnings:
        warn(each)
    return result.model


main = model_tool(__doc__, ("input_model_path", "output_model_path"), lambda model, _: remove_bf16_cast(model), save_as_external_data=EXTERNAL_DATA)

if __name__ == "__main__":
    sys.exit(main())
