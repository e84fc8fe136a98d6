"""The model that convert_onnx_to_onnxtxt wrote as text."""
import argparse
import pathlib
import sys

from ._command import guarded, write


def main(given=None):
    from google.protobuf import text_format
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input_model", required=True)
    parser.add_argument("--output_model", required=True)
    arguments = parser.parse_args(given)
    return guarded(lambda: write(text_format.Parse(pathlib.Path(arguments.input_model).read_text(), onnx.ModelProto()), arguments.output_model))


if __name__ == "__main__":
    sys.exit(main())
