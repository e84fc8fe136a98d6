"""Sample readers. A reader is any object with get_next(), which gives {input name: array}, or None behind the last sample.

NumPy is imported where it is needed: it is most of what `import preon` would take.
"""
import os
import pathlib
from typing import Any, Optional

from ..errors import DataError, NotFound


class CalibrationDataReader:
    """Base of readers, as ONNX Runtime's; deriving from it is not needed."""

    def get_next(self):
        raise NotImplementedError

    def set_range(self, start_index, end_index):
        raise NotImplementedError

    def __iter__(self):
        return self

    def __next__(self):
        sample = self.get_next()
        if not sample:
            raise StopIteration
        return sample


class _Kept(CalibrationDataReader):
    """Samples that are all in memory."""

    def __init__(self, samples):
        self._samples, self._first, self._next, self._end = samples, 0, 0, len(samples)

    def get_next(self):
        if self._next >= self._end:
            return None
        self._next += 1
        return self._samples[self._next - 1]

    def __len__(self):
        return self._end - self._first

    def set_range(self, start_index, end_index):
        self._first, self._end = start_index, min(end_index, len(self._samples))
        self.rewind()

    def rewind(self):
        self._next = self._first

    reset_iter = rewind


class CachedDataReader(_Kept):
    """Another reader's samples, read once: at most `data_size`, images with channels last, floats as float16 where asked.

    Raises DataError for a reader without samples, and for values that are no arrays.
    """

    def __init__(self, dr: Any, data_size: Optional[int] = None, convert_nchw_to_nhwc: bool = False, quantize_fp16: bool = False) -> None:
        samples = []
        while data_size is None or len(samples) < data_size:
            sample = dr.get_next()
            if not sample:
                break
            samples.append({name: _converted(name, value, convert_nchw_to_nhwc, quantize_fp16) for name, value in sample.items()})
        if not samples:
            raise DataError(3007, "No data in the input calibration data reader", exit_status=2)
        super().__init__(samples)


def _converted(name, value, channels_last, float16):
    import numpy as np

    if not isinstance(value, np.ndarray):
        raise DataError(3005, f"input '{name}': got {type(value).__name__}: The input should be a numpy array.", exit_status=2)
    if channels_last and value.ndim == 4:
        value = value.transpose(0, 2, 3, 1)
    return value.astype(np.float16) if float16 and value.dtype == np.float32 else value


class RandomDataReader(_Kept):
    """One random sample: floats uniform in [0, 1), integers 0 or 1, or both in `input_data_range`; seed 42.

    input_shape       sizes by input name; without, open sizes are 1 (batch), 3 channels, 32 × 32
    input_data_range  [low, high] by input name; both ends included for integers

    Raises DataError for a shape or range dict that lacks an input.
    """

    def __init__(self, model_input: Any, input_shape: dict[str, Any] = {}, input_data_range: Optional[dict[str, Any]] = None) -> None:
        import numpy as np

        generator = np.random.default_rng(42)
        sample = {}
        for name, dtype, dims in inputs_of(model_input):
            for what, given in (("input_shape", input_shape), ("input_data_range", input_data_range)):
                if given and name not in given:
                    raise DataError(3003, f"{what}: no entry for input '{name}'; it has {', '.join(given)}", exit_status=2)
            shape = _open_sizes(input_shape[name] if input_shape else dims)
            low, high = input_data_range[name] if input_data_range else (0, 1)
            if np.issubdtype(dtype, np.floating):
                sample[name] = generator.uniform(low, high, shape).astype(dtype)
            else:
                sample[name] = generator.integers(low, high, shape, endpoint=True).astype(dtype)
        super().__init__([sample])


def _open_sizes(dims):
    usual = {2: (1, 16), 4: (1, 3, 32, 32)}.get(len(dims), (1,) * len(dims))
    return [dim if isinstance(dim, int) and dim > 0 else fallback for dim, fallback in zip(dims, usual)]


class PathDataReader(_Kept):
    """Samples of `.npy` files in a folder (models with one input), or in sub-folders by input name, matched by file name.

    Files come in the order of their names; a missing batch axis is added, the type is the model's.
    Raises NotFound where there is none, DataError for a shape that the model does not take.
    """

    def __init__(self, model_input: Any, data_path: Any, input_shape: list[int] = []) -> None:
        import numpy as np

        inputs = inputs_of(model_input)
        folders = _folders(inputs, data_path)
        samples = []
        for file in sorted(each.name for each in folders[0].glob("*.npy")):
            sample = {}
            for (name, dtype, dims), folder in zip(inputs, folders):
                if not (folder / file).is_file():
                    raise NotFound(3001, f"{folder / file}: no such file, but other inputs have it", exit_status=2)
                sample[name] = _fitted(np.load(folder / file), dtype, list(input_shape) or dims, folder / file)
            samples.append(sample)
        if not samples:
            raise NotFound(3001, f"{data_path}: no .npy files for the inputs {', '.join(name for name, *_ in inputs)}", exit_status=2)
        super().__init__(samples)


def _folders(inputs, data_path):
    root = pathlib.Path(data_path)
    return [root] if len(inputs) == 1 and any(root.glob("*.npy")) else [root / name for name, *_ in inputs]


def _fitted(array, dtype, dims, file):
    import numpy as np

    fixed = [dim if isinstance(dim, int) and dim > 0 else None for dim in dims]
    if array.ndim == 1 and len(fixed) > 1 and array.size == np.prod([dim or 1 for dim in fixed]):
        array = array.reshape([dim or 1 for dim in fixed])
    if array.ndim == len(fixed) - 1:
        array = array[np.newaxis]
    if array.ndim != len(fixed) or any(want not in (None, got) for want, got in zip(fixed, array.shape)):
        raise DataError(3004, f"{file}: shape {list(array.shape)}, wanted {[dim or '?' for dim in fixed]}", exit_status=2)
    return array.astype(dtype, copy=False)


def inputs_of(model):
    """(name, NumPy type, sizes; 0 where open) of each input that no initializer fills."""
    import onnx

    if not hasattr(model, "graph"):
        path = os.fsdecode(model)
        if not os.path.isfile(path):
            raise NotFound(2001, f"{path}: Input model file does not exist.", exit_status=2)
        model = onnx.load(path, load_external_data=False)
    filled = {tensor.name for tensor in model.graph.initializer}
    return [(each.name, onnx.helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type),
             [dim.dim_value for dim in each.type.tensor_type.shape.dim])
            for each in model.graph.input if each.name not in filled]


def path_reader(model, data_path):
    """Arguments of quantize() for samples in a folder: a reader of .npy files, else the folder as --data takes it."""
    path = pathlib.Path(os.fsdecode(data_path))
    if path.is_dir() and any(each.suffix == ".npy" for each in path.glob("**/*")):
        return {"reader": PathDataReader(model, path)}
    return {"data": os.fspath(path)}
