"""Gives inputs and outputs fixed shapes: --input_output_name_shapes "x:[1,3,224,224];y:[1,10]"."""
import sys

from ..errors import ConfigError
from ._command import model_tool


def parse(text):
    """{name: [sizes]}. Raises ConfigError for another form."""
    shapes = {}
    for each in filter(None, "".join(text.split()).split(";")):
        name, colon, sizes = each.rpartition(":")
        numbers = sizes[1:-1].split(",")
        if not colon or not name or (sizes[:1], sizes[-1:]) != ("[", "]") or not all(number.isdecimal() for number in numbers):
            raise ConfigError(1002, f"got '{each}', wanted NAME:[SIZE,SIZE,…]", exit_status=2)
        shapes[name] = [int(number) for number in numbers]
    return shapes


def fix(model, shapes):
    """Raises ConfigError for a name that is no input or output, and for another number of dimensions."""
    from onnx import shape_inference

    border = {each.name: each for each in [*model.graph.input, *model.graph.output]}
    for name, sizes in shapes.items():
        if name not in border:
            raise ConfigError(1006, f"'{name}' is no input or output of the model; there are: {', '.join(border)}", exit_status=2)
        dims = border[name].type.tensor_type.shape.dim
        if len(dims) not in (0, len(sizes)):
            raise ConfigError(1002, f"'{name}': got {len(sizes)} sizes, wanted {len(dims)}", exit_status=2)
        del dims[:]
        for size in sizes:
            dims.add().dim_value = size
    del model.graph.value_info[:]
    return shape_inference.infer_shapes(model)


main = model_tool(__doc__, ("--input_model_path", "--output_model_path"), lambda model, given: fix(model, parse(given.input_output_name_shapes)),
                  input_output_name_shapes={"required": True, "help": "NAME:[SIZE,…];NAME:[…]"})

if __name__ == "__main__":
    sys.exit(main())
