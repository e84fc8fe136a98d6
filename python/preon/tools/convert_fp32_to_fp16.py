"""A float32 model computes in float16: half the size. Operators that have no float16 by the standard, and those that count steps or hold codes, stay in
float32 between Casts. Constants are rounded to nearest, beyond 65504 to 65504; what is not 0 stays so."""
import sys

from ..core import passes
from ._command import EXTERNAL_DATA, model_tool

_SIMPLIFY = {"passes": {"onnx_simplify": {}}}


def convert_float_to_float16(model, keep_io_types=False, disable_shape_infer=False, not_simplify=True):
    """Of a path or an onnx.ModelProto, which stays as it is; returns the new one.

    keep_io_types        inputs and outputs stay float32, with Casts inside
    disable_shape_infer  the model says the types of its inner tensors, or its operators do
    not_simplify         False: constants are folded and nodes that change nothing removed first, as the tool does it

    Raises ConfigError for a model without float32.
    """
    import onnx

    from ._narrow import narrow

    if not not_simplify:
        model = passes(model, list=_SIMPLIFY).model
    elif isinstance(model, onnx.ModelProto):
        model = onnx.ModelProto.FromString(model.SerializeToString())
    else:
        model = onnx.load(model)
    return narrow(model, onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, keep_io_types, not disable_shape_infer)


main = model_tool(__doc__, ("input", "output"),
                  lambda model, given: convert_float_to_float16(model, given.keep_io_types, given.disable_shape_infer, given.not_simplify), by_path=True,
                  keep_io_types={"action": "store_true", "help": "inputs and outputs stay float32, with Casts inside"},
                  disable_shape_infer={"action": "store_true", "help": "no shape inference: types by the model's value_info and the operators"},
                  save_as_external_data=EXTERNAL_DATA,
                  all_tensors_to_one_file={"action": "store_true", "help": "with --save_as_external_data: one file, in place of one for each tensor"},
                  not_simplify={"action": "store_true", "help": "the graph as it is; default: constants are folded first"})

if __name__ == "__main__":
    sys.exit(main())
