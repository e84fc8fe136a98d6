"""Gives inputs and outputs fixed shapes: --input_output_name_shapes, or --fix_shapes, "x:[1,3,224,224];y:[1,10]"."""
import sys

from ..core import passes
from ..errors import ConfigError
from ._command import model_tool


def parse_input_and_output_shapes(fix_shapes):
    """{name: [sizes]}. Raises ConfigError for another form."""
    shapes = {}
    for each in filter(None, "".join(fix_shapes.split()).split(";")):
        name, colon, sizes = each.rpartition(":")
        numbers = sizes[1:-1].split(",")
        if not colon or not name or (sizes[:1], sizes[-1:]) != ("[", "]") or not all(number.isdecimal() for number in numbers):
            raise ConfigError(1002, f"got '{each}', wanted NAME:[SIZE,SIZE,…]", exit_status=2)
        shapes[name] = [int(number) for number in numbers]
    return shapes


def fix_input_and_output_shapes(model_input, fix_shapes):
    """Of a path or an onnx.ModelProto. Raises ConfigError for a name that is no input or output, and for sizes that do not fit the model's.

    fix_shapes  "x:[1,3,224,224];y:[1,10]"
    """
    given = [(name, "x".join(map(str, sizes))) for name, sizes in parse_input_and_output_shapes(fix_shapes).items()]
    return passes(model_input, names=["fix_shapes"], fix_shape=given).model


main = model_tool(__doc__, ("--input_model_path", "--output_model_path"),
                  lambda model, given: fix_input_and_output_shapes(model, given.input_output_name_shapes),
                  input_output_name_shapes={"other": "fix_shapes", "required": True, "help": "NAME:[SIZE,…];NAME:[…]"})

if __name__ == "__main__":
    sys.exit(main())
