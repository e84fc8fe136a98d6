"""Converts a model to another opset of ONNX."""
import sys

from ._command import model_tool


def convert_opset_version(model, target_opset):
    """Raises what onnx's converter raises where an operator has no form in that opset."""
    from onnx import version_converter

    return version_converter.convert_version(model, target_opset)


main = model_tool(__doc__, ("input", "target_opset", "output"), lambda model, given: convert_opset_version(model, int(given.target_opset)))

if __name__ == "__main__":
    sys.exit(main())
