"""Infinite constants become finite: --replace_inf_value, or the negative of it."""
import sys

import numpy as np

from ._command import convert_model, model_tool


def replace_inf_in_onnx_weights(input_model, output_model=None, replace_inf_value=10000.0):
    """Of a path or an onnx.ModelProto; returns the model where there is no path to write it to."""
    from onnx import numpy_helper

    def replace(model):
        for each in model.graph.initializer:
            values = numpy_helper.to_array(each)
            if values.dtype.kind == "f" and np.isinf(values).any():
                finite = np.where(np.isinf(values), np.sign(values) * replace_inf_value, values).astype(values.dtype)
                each.CopyFrom(numpy_helper.from_array(finite, each.name))

    return convert_model(input_model, output_model, replace)


main = model_tool(__doc__, ("--input_model", "--output_model"),
                  lambda model, given: replace_inf_in_onnx_weights(model, replace_inf_value=given.replace_inf_value),
                  replace_inf_value={"type": float, "default": 10000.0})

if __name__ == "__main__":
    sys.exit(main())
