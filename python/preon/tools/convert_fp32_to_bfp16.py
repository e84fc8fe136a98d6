"""A float32 model in bfp16: blocks of 8 values share an exponent, by BFPQuantizeDequantize of com.amd.quark, which libpreon_ops.so has. Inputs and
outputs stay float32."""
import sys

from ._sixteen_bits import bfp16_tool, to_bfp16


def convert_fp32_to_bfp16(model):
    """Of a path or an onnx.ModelProto; returns the new one. Raises ConfigError for a model without float32."""
    return to_bfp16(model, False)


main = bfp16_tool(__doc__, False)

if __name__ == "__main__":
    sys.exit(main())
