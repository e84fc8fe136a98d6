"""A float32 model in bfloat16. Inputs and outputs stay float32."""
import sys

from ._sixteen_bits import bfloat16_tool, to_bfloat16


def convert_fp32_to_bf16(model, format="with_cast"):
    """Of a path or an onnx.ModelProto; returns the new one. Raises ConfigError for a model without float32.

    format  customqdq, with_cast, simulate_bf16 or bf16: `--help` says what they are
    """
    return to_bfloat16(model, format, False)


main = bfloat16_tool(__doc__, False)

if __name__ == "__main__":
    sys.exit(main())
