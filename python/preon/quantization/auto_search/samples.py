"""Samples of a search: read once, kept in memory, because every trial runs on the same."""
import os

from ...calibration.data_readers import inputs_of
from ...errors import ConfigError, DataError
from ...samples import source_of

_LABELS = ("label", "labels")


def read_samples(model, data, what):
    """[(arrays by input name, label or None)] of a reader, arrays, an .npz or .npy file, or what else gives samples.

    Raises ConfigError where there is none, DataError where it has no samples or these do not have the model's inputs.
    """
    import numpy as np
    import onnx

    if data is None:
        raise ConfigError(1003, f"{what}: got None, wanted a data reader", exit_status=2)
    if isinstance(data, (str, os.PathLike)):
        loaded = np.load(data)
        data = dict(loaded) if hasattr(loaded, "files") else loaded
    files, source = source_of(data, None)
    if files:
        raise ConfigError(1002, f"{what}: got a list of files, wanted a data reader, arrays or one file", exit_status=2)
    inputs = inputs_of(model)
    source.begin([(name, onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), [size or -1 for size in sizes])
                  for name, dtype, sizes in inputs])
    samples = []
    while (sample := source(len(samples))) is not None:
        missing = [name for name, *_ in inputs if name not in sample]
        if missing:
            raise DataError(3003, f"{what}: sample {len(samples)}: no '{missing[0]}'; it has {', '.join(sample)}",
                            exit_status=2)
        label = next((np.asarray(sample[name]) for name in _LABELS if name in sample), None)
        samples.append(({name: np.array(sample[name], dtype) for name, dtype, _ in inputs}, label))
    if not samples:
        raise DataError(3007, f"{what}: No data in the input calibration data reader", exit_status=2)
    return samples
