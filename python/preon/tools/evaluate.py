"""Compares two folders of outputs (.npy files of the same names): L2 distance, cosine, peak signal to noise in dB."""
import argparse
import pathlib
import sys

import numpy as np

from ..errors import NotFound
from ._command import as_positions, guarded


def distances(reference, other):
    """{file: (l2, cosine, psnr)}. Raises NotFound for a file that the other folder has not."""
    found = {}
    for file in sorted(pathlib.Path(reference).rglob("*.npy")):
        name = file.relative_to(reference)
        beside = pathlib.Path(other) / name
        if not beside.exists():
            raise NotFound(3001, f"{beside}: no such file", exit_status=2)
        a, b = (np.load(each).astype(np.float64).ravel() for each in (file, beside))
        square = np.mean((a - b) ** 2)
        norms = np.linalg.norm(a) * np.linalg.norm(b)
        cosine = float(a @ b / norms) if norms else float(np.array_equal(a, b))
        psnr = 10 * np.log10(np.max(np.abs(a)) ** 2 / square) if square and a.any() else float("inf")
        found[str(name)] = float(np.linalg.norm(a - b)), cosine, float(psnr)
    if not found:
        raise NotFound(3001, f"{reference}: no .npy files", exit_status=2)
    return found


def main(given=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reference")
    parser.add_argument("other")
    arguments = parser.parse_args(as_positions(given, ["baseline_results_folder", "quantized_results_folder"]))

    def show():
        for name, (l2, cosine, psnr) in distances(arguments.reference, arguments.other).items():
            print(f"{name}: L2 {l2:.6g}, cosine {cosine:.6g}, PSNR {psnr:.4g} dB")

    return guarded(show)


if __name__ == "__main__":
    sys.exit(main())
