"""A model as text that can be read, compared and edited."""
import argparse
import sys

from ._command import guarded, write_bytes


def main(given=None):
    from google.protobuf import text_format
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input_model", required=True)
    parser.add_argument("--output_model", required=True)
    arguments = parser.parse_args(given)
    return guarded(lambda: write_bytes(text_format.MessageToString(onnx.load(arguments.input_model)).encode(), arguments.output_model))


if __name__ == "__main__":
    sys.exit(main())
