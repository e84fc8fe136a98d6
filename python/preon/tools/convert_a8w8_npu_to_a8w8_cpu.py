"""Biases of an A8W8 model for NPUs become int32 with the scale input scale x weight scale, as CPU kernels add them: the runtime then computes Conv and
Gemm in integers. Codes are rounded to nearest."""
import sys

from ._command import model_tool, run_pass


def convert_a8w8_npu_to_a8w8_cpu(model):
    """Returns a new model; says on stderr where no bias needs it."""
    return run_pass(model, "int32_biases", "no quantized Conv or Gemm has a bias of another type or scale: nothing was converted")


main = model_tool(__doc__, ("input", "output"), lambda model, _: convert_a8w8_npu_to_a8w8_cpu(model))

if __name__ == "__main__":
    sys.exit(main())
