"""Gives inputs and outputs fixed shapes: --fix_shapes "x:[1,3,224,224];y:[1,10]". Does what fix_shapes does, with other names of arguments."""
import sys

from ._command import model_tool
from .fix_shapes import fix_input_and_output_shapes


def fix_shapes(model, fix_name_shape):
    """Of a path or an onnx.ModelProto. Raises ConfigError for a name that is no input or output, and for sizes that do not fit the model's."""
    return fix_input_and_output_shapes(model, fix_name_shape)


main = model_tool(__doc__, ("input", "output"), lambda model, given: fix_shapes(model, given.fix_shapes),
                  fix_shapes={"required": True, "help": "NAME:[SIZE,…];NAME:[…]"})

if __name__ == "__main__":
    sys.exit(main())
