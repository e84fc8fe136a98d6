"""Biases of an A8W8 model for NPUs become int32 with the scale input scale x weight scale, as CPU kernels add them: the runtime then computes Conv and
Gemm in integers. Codes are rounded to nearest."""
import sys

from ..core import passes
from ._command import model_tool, warn


def convert_a8w8_npu_to_a8w8_cpu(model):
    """Returns a new model; says on stderr where no bias needs it."""
    result = passes(model, names=["int32_biases"])
    if not result.passes[0]["changed"]:
        warn("no quantized Conv or Gemm has a bias of another type or scale: nothing was converted")
    return result.model


main = model_tool(__doc__, ("input", "output"), lambda model, _: convert_a8w8_npu_to_a8w8_cpu(model))

if __name__ == "__main__":
    sys.exit(main())
