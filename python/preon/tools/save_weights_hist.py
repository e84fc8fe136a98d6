"""Draws the histogram of each constant of a model, 128 bars from its smallest to its largest value: OUTPUT/TENSOR.svg. --perchannel: of those with two
dimensions and more the smallest and largest value of each channel (dimension 0) instead, as OUTPUT/TENSOR_per_channel.svg."""
import argparse
import os
import sys

import numpy as np

from ..errors import ConfigError
from ._command import guarded, warn, write_bytes
from ._picture import bars

_BARS = 128


def save_weights_hist(model, output=None, perchannel=False):
    """Of a path or an onnx.ModelProto: {tensor: path of its picture}. Values that are not finite are left out; a constant without others has no picture,
    which stderr says. Raises ConfigError for a model without constants.

    output  folder, made where it is missing; None: weights_hist
    """
    import onnx
    from onnx import numpy_helper

    graph = (onnx.load(model) if isinstance(model, (str, os.PathLike)) else model).graph
    if not graph.initializer:
        raise ConfigError(1004, "the model has no constants to draw", exit_status=2)
    folder = os.fspath(output or "weights_hist")
    os.makedirs(folder, exist_ok=True)
    drawn, left, taken = {}, [], set()
    for each in graph.initializer:
        values = numpy_helper.to_array(each)
        values = values.astype(np.float64) if values.dtype.kind not in "OSU" else np.empty(0)
        if not np.isfinite(values).any():
            left.append(each.name)
            continue
        channels = perchannel and values.ndim > 1
        picture = _of_channels(each.name, values) if channels else _of_values(each.name, values)
        drawn[each.name] = os.path.join(folder, _file_name(each.name + "_per_channel" * channels, taken))
        write_bytes(picture.encode(), drawn[each.name])
    if left:
        warn(f"no numbers to draw in {', '.join(left[:5])}{f' and {len(left) - 5} more' if len(left) > 5 else ''}")
    return drawn


def _of_values(name, values):
    finite = values[np.isfinite(values)]
    counts, edges = np.histogram(finite, _BARS)
    return bars(name, "value", "count", list(zip(edges[:-1], edges[1:], np.zeros(len(counts)), counts)))


def _of_channels(name, values):
    rows = np.where(np.isfinite(values), values, np.nan).reshape(len(values), -1)
    known = [channel for channel, row in enumerate(rows) if not np.isnan(row).all()]
    return bars(f"{name}: smallest and largest value of each channel", "channel", "value",
                [(channel - 0.35, channel + 0.35, np.nanmin(rows[channel]), np.nanmax(rows[channel])) for channel in known])


def _file_name(name, taken):
    """Characters that separate folders, and a name that no other constant has."""
    safe = "".join("_" if each in "/.:\\" or ord(each) < 32 else each for each in name)[:200] or "_"
    unique, number = safe, 2
    while unique in taken:
        unique, number = f"{safe}_{number}", number + 1
    taken.add(unique)
    return f"{unique}.svg"


def main(given=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input_model", required=True)
    parser.add_argument("--output", help="folder of the pictures (default: weights_hist)")
    parser.add_argument("--perchannel", action="store_true", help="channels instead of values, where there are some")
    arguments = parser.parse_args(given)
    return guarded(lambda: save_weights_hist(arguments.input_model, arguments.output, arguments.perchannel))


if __name__ == "__main__":
    sys.exit(main())
