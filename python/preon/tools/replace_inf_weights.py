"""Infinite constants become finite: --replace_inf_value, or the negative of it."""
import sys

import numpy as np

from ._command import model_tool


def replace(model, value):
    from onnx import numpy_helper

    for each in model.graph.initializer:
        values = numpy_helper.to_array(each)
        if values.dtype.kind == "f" and np.isinf(values).any():
            each.CopyFrom(numpy_helper.from_array(np.where(np.isinf(values), np.sign(values) * value, values).astype(values.dtype), each.name))
    return model


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, given: replace(model, given.replace_inf_value),
                  replace_inf_value={"type": float, "default": 10000.0})

if __name__ == "__main__":
    sys.exit(main())
