"""Draws the histogram of each activation over samples, with the ranges of all calibration methods: OUTPUT_PATH/TENSOR.svg."""
import argparse
import os
import sys
import tempfile

from ..core import calibrate
from ._command import guarded


def save_tensor_hist_figure(input_model, dr, output_figure_path=None):
    """Of a path or an onnx.ModelProto.

    dr                  a reader: get_next() -> {input name: array} or None; or samples as preon.calibrate takes them: .npz, .npy, a folder, "random:8"
    output_figure_path  folder, made where it is missing; None: tensor_hist
    """
    samples = {"reader": dr} if hasattr(dr, "get_next") else {"data": dr}
    with tempfile.TemporaryDirectory(prefix="preon-") as folder:
        return calibrate(input_model, os.path.join(folder, "statistics.calib"), save_histograms=output_figure_path or "tensor_hist", progress=False, **samples)


def main(given=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input_model", required=True)
    parser.add_argument("--data_path", required=True, help=".npz, .npy, folder of these, of images or of ONNX test sets, random:N")
    parser.add_argument("--output_path", help="folder of the pictures (default: tensor_hist)")
    arguments = parser.parse_args(given)
    return guarded(lambda: save_tensor_hist_figure(arguments.input_model, arguments.data_path, arguments.output_path))


if __name__ == "__main__":
    sys.exit(main())
