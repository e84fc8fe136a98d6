"""A float16 model in bfloat16. Inputs and outputs stay float16."""
import sys

from ._sixteen_bits import bfloat16_tool, to_bfloat16


def convert_fp16_to_bf16(model, format="with_cast"):
    """Of a path or an onnx.ModelProto; returns the new one. Raises ConfigError for a model without float16.

    format  customqdq, with_cast, simulate_bf16 or bf16: `--help` says what they are
    """
    return to_bfloat16(model, format, True)


main = bfloat16_tool(__doc__, True)

if __name__ == "__main__":
    sys.exit(main())
