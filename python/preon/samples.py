"""What `data` may be: each form becomes samples by input name, one model run at a time."""
import os
from collections.abc import Iterable, Iterator, Mapping

from .errors import ConfigError, DataError

_LABELS = ("label", "labels")
_FLOATS = (1, 10, 11, 16)  # ONNX's numbers of float, float16, double, bfloat16


def source_of(data, reader):
    """(what --data takes, Samples or None) of the two arguments. Raises ConfigError for both, TypeError for what is neither."""
    if data is not None and reader is not None:
        raise ConfigError(1004, "reader and data: got both, wanted one", exit_status=2)
    if data is None:
        return [], None if reader is None else Samples(reader)
    if is_path(data):
        return [data], None
    if isinstance(data, (list, tuple)) and data and all(map(is_path, data)):
        return list(data), None
    return [], Samples(data if callable(getattr(data, "get_next", None)) else _items_of(data), "data")


def is_reader(value):
    """Has it get_next(), as an object and not as a class?"""
    return not isinstance(value, type) and callable(getattr(value, "get_next", None))


def named_arrays(sample, index, inputs):
    """The arrays of a reader's sample, by input name."""
    if not isinstance(sample, Mapping):
        raise TypeError(f"get_next: sample {index}: got {type(sample).__name__}, wanted a dict of arrays by input name")
    return {name: array_of(value, index, name, inputs) for name, value in sample.items()}


def is_path(value):
    return isinstance(value, (str, bytes, os.PathLike))


def is_array(value):
    return any(hasattr(value, name) for name in ("shape", "__array__", "__array_interface__"))


def _by_position(value):
    """A column or table of pandas as NumPy has it: it finds rows by their labels, and columns before rows."""
    if not hasattr(value, "iloc"):
        return value
    array = value.to_numpy()
    return list(array) if array.dtype == object and array.ndim == 1 else array


def _rows_of_table(table, inputs):
    """By input name where columns have such names; else a row is a sample of the only input."""
    columns = {name: _by_position(table[name]) for name in getattr(table, "columns", ()) if name in inputs or name in _LABELS}
    return _rows(columns if columns.keys() & inputs.keys() else {_first(inputs): _by_position(table)}, inputs)


def _first(inputs):
    if not inputs:
        raise DataError(3003, "data: got an array, but the model has no inputs", exit_status=2)
    return next(iter(inputs))


def _items_of(data):
    if isinstance(data, type):
        raise TypeError(f"data: got the class {data.__name__}, wanted an object of it")
    if isinstance(data, Mapping):
        parts = [name for name, value in data.items() if hasattr(value, "column_names")]
        if parts:
            raise ConfigError(1002, f"data: got a dict of datasets ({', '.join(map(str, parts))}), wanted one of them", exit_status=2)
        columns = {name: _by_position(column) for name, column in data.items()}
        return _Items(lambda inputs: _rows(columns, inputs))
    if hasattr(data, "to_batches"):  # a table of Arrow
        return _Items(lambda inputs: ({name: value for name, value in row.items() if name in inputs or name in _LABELS}
                                      for batch in data.to_batches(max_chunksize=256) for row in batch.to_pylist()))
    if hasattr(data, "column_names"):
        return _Items(lambda inputs: ({name: value for name, value in row.items() if name in inputs or name in _LABELS} for row in data))
    if hasattr(data, "iloc"):
        return _Items(lambda inputs: _rows_of_table(data, inputs))
    if is_array(data):
        return _Items(lambda inputs: _rows({_first(inputs): data}, inputs))
    if isinstance(data, Iterator):
        return _Once(lambda inputs: data)
    if isinstance(data, Iterable):
        return _Items(lambda inputs: iter(data))
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        return _Items(lambda inputs: (data[index] for index in range(len(data))))
    if callable(data):
        return _Items(lambda inputs: iter(data()))
    raise TypeError(f"data: got {type(data).__name__}, wanted a path, arrays, samples or a reader")


class Samples:
    """A reader as the library asks it: by index, from 0 again as often as it likes."""

    def __init__(self, reader, parameter="reader"):
        if not is_reader(reader):
            got = f"the class {reader.__name__}" if isinstance(reader, type) else type(reader).__name__
            raise TypeError(f"{parameter}: got {got}, wanted an object with get_next()")
        self.reader, self.next, self.kept = reader, 0, []
        self.rewinds = callable(getattr(reader, "rewind", None))
        self.first = None  # until rewind() has shown that it goes back
        self.inputs = {}

    def begin(self, inputs):
        """Told the model's inputs (name, ONNX's number of the type, sizes; -1 where open) before each pass."""
        self.inputs = {name: (number, tuple(shape)) for name, number, shape in inputs}
        if isinstance(self.reader, _Once):
            self.reader.inputs = self.inputs

    def __call__(self, index):
        if index < len(self.kept):
            return self.kept[index]
        if index == 0 and self.next > 0 and self.rewinds:
            return self._rewound()
        if index < self.next:
            return None
        sample = self._read(index)
        if sample is None:
            return None
        if not self.rewinds:
            self.kept.append(_copied(sample))  # there is no other way to see it again
        elif index == 0:
            self.first = _copied(sample)
        return sample

    def _read(self, index):
        sample = self.reader.get_next()
        self.next = index + 1
        if sample is None:
            return None
        return named_arrays(sample, index, self.inputs) or None

    def _rewound(self):
        """The first sample again. The first rewind() comes behind one sample, before calibration: what does not go back is found here."""
        read, first, self.first = self.next, self.first, None
        self.reader.rewind()
        sample = self._read(0)
        if first is None or (sample is not None and _same(first, sample)):
            return sample
        if sample is not None and getattr(self.reader, "went_back", False):  # another order each time, from its start
            self.rewinds, self.kept = False, [_copied(sample)]
            return sample
        if sample is None or read > 1:
            raise DataError(3007, "reader: rewind() did not go back to the first sample",
                            "without rewind() the samples are kept in memory for the comparison", exit_status=2)
        self.rewinds, self.kept, self.next = False, [first, _copied(sample)], 2  # it went on, or gives another order each time
        return first


def _copied(sample):
    """Readers may use an array again for the next sample."""
    import numpy as np

    return {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in sample.items()}


def _same(one, other):
    """Are these samples the same? Only equal arrays of the same names are."""
    import numpy as np

    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def array_of(value, index, name, inputs):
    """A NumPy array. The library converts element types as those of files."""
    import numpy as np

    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return _in_native_types(value)
    value = _by_position(value)
    if hasattr(value, "detach"):  # a tensor of PyTorch, maybe on a device
        value = value.detach().cpu()
        value = value.float() if str(value.dtype) == "torch.bfloat16" else value
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise DataError(3004, f"sample {index}: '{name}': {error}", exit_status=2) from None
    untyped = not hasattr(value, "dtype") and array.dtype.kind in "iu"  # integers of Python
    if array.dtype.name == "bfloat16" or (untyped and inputs.get(name, (0,))[0] in _FLOATS):
        return array.astype(np.float32)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"sample {index}: '{name}': got {type(value).__name__} of {array.dtype}, wanted an array of numbers")
    return _in_native_types(array)


def _in_native_types(array):
    """What the library reads: this machine's byte order, floats of 8 bytes at most."""
    kind = array.dtype.newbyteorder("=") if array.dtype.itemsize <= 8 else "float64"
    return array.astype(kind, copy=False)


def _rows(columns, inputs):
    """Samples of arrays whose axis 0 counts them. What has the shape of an input without such an axis is the same for all."""
    batch = _batch(inputs)

    def is_constant(name, column):
        shape = tuple(column.shape) if hasattr(column, "shape") else (len(column),) if hasattr(column, "__len__") else ()
        wanted = inputs.get(name, (0, ()))[1]
        return not shape or (shape == wanted and shape[0] not in (1, batch))

    sizes = {name: len(column) for name, column in columns.items() if not is_constant(name, column)}
    many = {name: size for name, size in sizes.items() if size != 1}  # one row beside several is for all of them
    if len(set(many.values())) > 1:
        told = ", ".join(f"{size} of '{name}'" for name, size in many.items())
        raise DataError(3004, f"data: got samples: {told}; wanted the same number", exit_status=2)
    for index in range(next(iter(many.values()), 1)):
        yield {name: column[index if name in many else 0] if name in sizes else column for name, column in columns.items()}


def _batch(inputs):
    """The batch size that the model insists on, as for files: that of its first input with axes."""
    return next((max(shape[0], 1) for _, shape in inputs.values() if shape), 1)


class _Once:
    """A reader of what can be iterated once: `items(inputs)` gives the iterator."""

    def __init__(self, items):
        self.items, self.inputs, self.left, self.index = items, {}, None, 0

    def get_next(self):
        import numpy as np

        if self.left is None:
            self.left, self.index = self.items(self.inputs), 0
        batch, run = _batch(self.inputs), []
        for item in self.left:
            run.append({name: self._fitted(value, name) for name, value in self._named(item).items()})
            self.index += 1
            stacked = [name for name in run[0] if name not in self.inputs or self.inputs[name][1][:1] in ((-1,), (batch,))]
            if batch == 1 or not any(run[0][name].shape[:1] == (1,) for name in stacked if name in self.inputs):
                return run[0]  # a batch already
            if len(run) == batch:
                return {**run[0], **{name: np.concatenate([np.atleast_1d(each[name]) for each in run]) for name in stacked}}
        return None  # what is left of a batch is no run of the model

    def _named(self, item):
        if isinstance(item, Mapping):
            return item
        parts = list(item) if isinstance(item, (list, tuple)) and any(map(is_array, item)) else [item]
        names = list(self.inputs)
        if len(parts) == len(names) + 1:  # pairs of inputs and class; what is no class is left out
            names += ["label"] if _is_class(parts[-1]) else []
            parts = parts[:len(names)]
        if len(parts) != len(names):
            raise DataError(3003, f"sample {self.index}: got {len(parts)} without a name, the model has {len(names)} inputs: "
                                  f"{', '.join(names)}", "give each sample as a dict of arrays by input name", exit_status=2)
        return dict(zip(names, parts))

    def _fitted(self, value, name):
        """Samples of datasets have no batch axis."""
        array = array_of(value, self.index, name, self.inputs)
        rank = len(self.inputs.get(name, (0, ()))[1])
        return array[None] if rank and array.ndim == rank - 1 else array


def _is_class(value):
    return isinstance(value, int) or (str(getattr(value, "dtype", "")).rpartition(".")[2].startswith(("int", "uint")) and len(value.shape) <= 1)


class _Items(_Once):
    """The same, where `items(inputs)` gives a new iterator each time."""

    def rewind(self):
        again = self.items(self.inputs)
        self.went_back = again is not self.left  # what has one iterator for all goes on where it was
        self.left, self.index = again, 0
