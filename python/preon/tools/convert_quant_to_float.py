"""A quantized model in float: without its quantizers, weights as the floats that their codes stand for."""
import sys

from ._command import convert_model, model_tool
from ._to_float import to_float


def convert_quant_to_float(quant_model, float_model=None):
    """Of a path or an onnx.ModelProto; returns the model where there is no path to write it to."""
    return convert_model(quant_model, float_model, to_float)


main = model_tool(__doc__, ("input", "output"), lambda model, _: convert_quant_to_float(model))

if __name__ == "__main__":
    sys.exit(main())
