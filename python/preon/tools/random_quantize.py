"""Quantizes a model with a random sample: to see that it can be done, and how fast the result is."""
import argparse
import sys

from ..core import quantize
from ._command import guarded


def main(given=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input_model_path", required=True)
    parser.add_argument("--quantized_model_path", required=True)
    parser.add_argument("--exclude_nodes", nargs="*", default=[])
    parser.add_argument("--save_as_external_data", action="store_true")
    arguments = parser.parse_args(given)
    return guarded(lambda: print(quantize(arguments.input_model_path, arguments.quantized_model_path, data="random:1",
                                          exclude=arguments.exclude_nodes, external_data=arguments.save_as_external_data,
                                          always_write=True)))


if __name__ == "__main__":
    sys.exit(main())
