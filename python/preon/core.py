"""Plain functions over the library: paths or models in memory, samples from files or a reader."""
import contextlib
import json
import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Optional, Protocol, Sequence, Union

from . import _preon
from .errors import ConfigError, DataError, failure
from .progress import display
from .result import Result

if TYPE_CHECKING:
    import onnx

Path = Union[str, bytes, os.PathLike]
Model = Union[Path, "onnx.ModelProto"]
Data = Union[Path, list[Path], None]
Progress = Union[Callable[[str, int, int], Any], bool, None]


class Reader(Protocol):
    """What gives samples: arrays by input name, or None behind the last."""

    def get_next(self) -> Optional[dict[str, Any]]: ...



class _Samples:
    """A reader as the library asks it: by index, from 0 again as often as it likes."""

    def __init__(self, reader):
        if isinstance(reader, type) or not callable(getattr(reader, "get_next", None)):
            got = f"the class {reader.__name__}" if isinstance(reader, type) else type(reader).__name__
            raise TypeError(f"reader: got {got}, wanted an object with get_next()")
        self.reader, self.next, self.kept = reader, 0, []
        self.rewinds = callable(getattr(reader, "rewind", None))
        self.first = None  # until rewind() has shown that it goes back

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
        if not isinstance(sample, dict):
            raise TypeError(f"get_next: sample {index}: got {type(sample).__name__}, wanted a dict of arrays by input name")
        return sample or None

    def _rewound(self):
        """The first sample again. The first rewind() comes behind one sample, before calibration: what does not go back is found here."""
        read, first, self.first = self.next, self.first, None
        self.reader.rewind()
        sample = self._read(0)
        if first is None or (sample is not None and _same(first, sample)):
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


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, default=_text)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(getattr(value, "name", value))  # members of enums by their names


def _settings(options):
    """Options by their long names, `_` for `-`, as the command line takes them; lists repeat, None is the default."""
    for name, value in options.items():
        values = value if isinstance(value, (list, tuple)) else [value]
        for each in values:
            if each is None:
                continue
            if isinstance(each, tuple):
                each = f"{each[0]}={_text(each[1])}"
            yield name.replace("_", "-"), _text(each)


@contextlib.contextmanager
def _as_file(model):
    """The path of a model that may be one in memory."""
    if isinstance(model, (str, bytes, os.PathLike)):
        yield _path(model, "model")
        return
    if not hasattr(model, "SerializeToString"):
        raise TypeError(f"model: got {type(model).__name__}, wanted a path or an onnx.ModelProto")
    with tempfile.TemporaryDirectory(prefix="preon-") as folder:
        path = pathlib.Path(folder) / "model.onnx"
        path.write_bytes(model.SerializeToString())
        yield str(path)


def _path(value, what):
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{what}: got {type(value).__name__}, wanted a path")
    path = os.fsdecode(value)
    try:
        path.encode()
    except UnicodeEncodeError:
        hint = "a model in memory is an onnx.ModelProto: onnx.load_from_string(...)" if what == "model" else None
        raise ConfigError(1002, f"{what}: got {len(path)} bytes that are no path in UTF-8", hint, 2) from None
    return path


def _data_options(data, reader):
    if data is not None and reader is not None:
        raise ConfigError(1004, "reader and data: got both, wanted one", exit_status=2)
    sources = [data] if isinstance(data, (str, bytes, os.PathLike)) else list(data or [])
    return [("data", _path(source, "data")) for source in sources]


def _run(verb, model, second, settings, reader=None, progress=None):
    """`second` is the output, or the other model. Raises what the verb, the reader and `progress` raise."""
    shown = display() if progress is None else None
    try:
        answer = verb(model, second, list(settings), _Samples(reader) if reader is not None else None, shown or progress or None)
    finally:
        if shown is not None:
            shown.close()
    if answer[0] is None:
        raise failure(*answer[1:])
    return Result(json.loads(answer[0]), answer[1])


def quantize(model: Model, output: Optional[Path] = None, data: Data = None, reader: Optional[Reader] = None,
             progress: Progress = None, **options: Any) -> Result:
    """Quantizes a float model, verifies the result and writes it.

    model     path, or onnx.ModelProto
    output    path; None: the result's `model` is an onnx.ModelProto
    data      .npz, .npy, folder, "random:32", or a list of these
    reader    instead of data: an object with get_next() -> {input name: array} or None, and rewind() if it has one;
              without rewind() its samples are kept in memory for the comparison
    progress  called as progress(stage, done, total); total is 0 while unknown. None: a line in terminals and notebooks;
              False: nothing
    options   of `preon quantize --help` by their long names, "_" for "-": activation="bfp16", exclude=["head*"]

    Returns a Result. Raises PreonError and its kinds; what reader and progress raise.
    """
    with _as_file(model) as path, tempfile.TemporaryDirectory(prefix="preon-") as folder:
        target = _path(output, "output") if output is not None else os.path.join(folder, "quantized.onnx")
        result = _run(_preon.quantize, path, target, [*_data_options(data, reader), *_settings(options)], reader, progress)
        if output is None:
            import onnx

            result.model = onnx.load(target)
    return result


def calibrate(model: Model, output: Path, data: Data = None, reader: Optional[Reader] = None,
              progress: Progress = None, **options: Any) -> Result:
    """One pass over the data: every method's statistics, into a .calib file. Arguments, Result and errors as of quantize()."""
    with _as_file(model) as path:
        return _run(_preon.calibrate, path, _path(output, "output"), [*_data_options(data, reader), *_settings(options)], reader, progress)


def ranges(model: Model, output: Optional[Path] = None, data: Data = None, reader: Optional[Reader] = None,
           progress: Progress = None, **options: Any) -> Result:
    """The ranges that a method gives: `result.tensors[name]` has min, max, scale, zero_point. With `all_methods=True` each method's:
    `result.methods[method]["tensors"][name]`.

    model   a .calib file; or a model, together with data or a reader
    output  path for the same as JSON, or None

    The rest as of quantize(); options of `preon ranges --help`.
    """
    with _as_file(model) as path:
        target = _path(output, "output") if output is not None else ""
        return _run(_preon.ranges, path, target, [*_data_options(data, reader), *_settings(options)], reader, progress)


def analyze(calib: Path, progress: Progress = None, **options: Any) -> Result:
    """Outliers, method advice and coverage of production, tensor by tensor, of a .calib file. Options of `preon analyze --help`,
    Result and errors as of quantize()."""
    return _run(_preon.analyze, _path(calib, "calib"), "", _settings(options), None, progress)


def inspect(model: Model) -> Result:
    """What is in a model or a .calib file. Result and errors as of quantize()."""
    with _as_file(model) as path:
        return _run(_preon.inspect, path, "", [])


def instrument(model: Model, output: Path, progress: Progress = None, **options: Any) -> Result:
    """Writes the model that collects, wherever it is served, what calibrate() would. Options of `preon instrument --help`, Result
    and errors as of quantize()."""
    with _as_file(model) as path:
        return _run(_preon.instrument, path, _path(output, "output"), _settings(options), None, progress)


def passes(model: Model, output: Optional[Path] = None, names: Sequence[str] = (), **options: Any) -> Result:
    """Rewrites a model, float or quantized, by the passes that `names` says: `preon passes --pass help` lists them.

    output  path; None: the result's `model` is an onnx.ModelProto
    Options of `preon passes --help`, Result and errors as of quantize().
    """
    with _as_file(model) as path, tempfile.TemporaryDirectory(prefix="preon-") as folder:
        target = _path(output, "output") if output is not None else os.path.join(folder, "rewritten.onnx")
        result = _run(_preon.passes, path, target, [*(("pass", name) for name in names), *_settings(options)], None, False)
        if output is None:
            import onnx

            result.model = onnx.load(target)
    return result


def compare(model: Model, quantized: Model, data: Data = None, reader: Optional[Reader] = None,
            progress: Progress = None, **options: Any) -> Result:
    """How far the outputs of `quantized` are from those of `model` over the samples; accuracy where they have labels.

    Both are paths or onnx.ModelProto. The rest as of quantize(); options of `preon compare --help`.
    """
    with _as_file(model) as path, _as_file(quantized) as other:
        return _run(_preon.compare, path, other, [*_data_options(data, reader), *_settings(options)], reader, progress)
