"""Plain functions over the library: paths or models in memory, samples from files or a reader."""
from __future__ import annotations

import contextlib
import inspect as _inspect
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Protocol, TypeVar, Union

from . import _preon
from .errors import ConfigError, failure
from .in_memory import Files, path_of
from .options import (AnalyzeOptions, CalibrateOptions, CompareOptions, DiffOptions, ExportQatOptions, InspectOptions, InstrumentOptions, LintOptions, PassesOptions, Path,
                      QuantizeOptions, RangesOptions, ReportOptions, RetargetOptions, RunOptions, SearchOptions, SensitivityOptions, ValidateOptions)
from .progress import Listener
from .result import Facts, Result
from .samples import is_path, source_of
from .settings import keywords, number, settings_of

if TYPE_CHECKING:
    import onnx
    from typing_extensions import Unpack

Model = Union[Path, "onnx.ModelProto"]
Progress = Union[Callable[[str, int, int], Any], bool, None]


class Reader(Protocol):
    """What gives samples: arrays by input name, or None after the last."""

    def get_next(self) -> Optional[dict[str, Any]]: ...


#: A path or several; an array, arrays by input name; samples, one by one; what gives samples.
Data = Union[Path, Mapping[str, Any], Iterable[Any], Callable[[], Iterable[Any]], Reader, None]
#: The model's output in each run of the samples, of the float and of the quantized model -> how far they are apart.
Distance = Callable[[list[Any], list[Any]], float]
_Function = TypeVar("_Function", bound=Callable[..., Any])
#: Options that the library takes files of.
_OF_SAMPLES = {"eval_data", "reference"}


def _completed(function: _Function) -> _Function:
    """Shells and notebooks complete keywords by the signature, where `**options` would hide them."""
    signature = _inspect.signature(function)
    own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    more = [_inspect.Parameter(name, _inspect.Parameter.KEYWORD_ONLY, default=None) for name in keywords(function.__name__)]
    function.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    return function


def _run(verb, paths, options, source=(None, None), progress=None, files=None, **callbacks):
    """`paths` are the model and the output, or the other model; `source` is `data` and `reader`; `files` those of the models. Raises
    what the verb, the reader and `progress` raise."""
    given, samples = source_of(*source)
    with contextlib.ExitStack() as kept:
        files = files or kept.enter_context(Files(options))
        read = [files.local(file) for file in given]
        options = {name: files.samples(value, name) if name in _OF_SAMPLES else value for name, value in options.items()}
        settings = [*(("data", path_of(file, "data")) for file in read), *settings_of(verb, options)]
        listener = kept.enter_context(contextlib.closing(Listener(progress)))
        answer = getattr(_preon, verb)(*paths, settings, samples, listener, shown_as=files.shown_as, **callbacks)
    if answer[0] is None:
        raise failure(*answer[1:])
    return Result(json.loads(answer[0], object_hook=Facts), answer[1])


def _with_model(result, path):
    """Of a run that wrote to a temporary file: the result has what is in it."""
    import onnx

    result.model = onnx.load(path)
    del result.facts["output"]
    return result


def _number_of(function, arguments):
    value = function(*arguments)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{getattr(function, '__name__', function)}: got {type(value).__name__}, wanted a number") from None


def _is_crypto_run(model, options):
    """Is nothing of the model to get to the disk? So it is with options that are wrong, too, of which the run tells."""
    settings = settings_of("quantize", {name: value for name, value in options.items() if name not in _OF_SAMPLES})
    return _preon.is_crypto_run(path_of(model, "model") if is_path(model) else "", list(settings))


@_completed
def quantize(model: Model, output: Optional[Path] = None, data: Data = None, reader: Optional[Reader] = None,
             progress: Progress = None, precision_distance: Optional[Distance] = None, **options: Unpack[QuantizeOptions]) -> Result:
    """Quantizes a float model, verifies the result and writes it.

    model     path, or onnx.ModelProto
    output    path; None: the result's `model` is an onnx.ModelProto
    data      paths (.npz, .npy, folder, "random:32", or a list of these); an array, or arrays by input name; samples: a list, a
              generator or a function that gives one, a DataLoader, a data set or table (docs/python.md#samples)
    reader    instead of data: an object with get_next() -> {input name: array} or None, and rewind() if it has one;
              without rewind() its samples are kept in memory for the comparison
    progress  called as progress(stage, done, total); total is 0 while unknown. None: a line in terminals and notebooks;
              False: nothing
    precision_distance  of algorithm auto_mixprecision, instead of its metrics: called with two lists, which have the output of the
              float and of the quantized model in each run, as an array; less is nearer
    options   of `preon quantize --help` by their long names, "_" for "-": activation="bfp16", exclude=["head*"]

    `eval_data`: samples that the result is judged by, as paths, an array, arrays by input name or a reader. Returns a Result.
    Raises PreonError and its kinds; what reader, progress and precision_distance raise.
    """
    distance = None if precision_distance is None else lambda *outputs: _number_of(precision_distance, outputs)
    crypto = _is_crypto_run(model, options)
    ignored = output is not None and crypto and not is_path(model) and options.get("key_file", options.get("key-file")) is None
    with Files(options, in_memory=crypto) as files:
        if output is not None and not ignored:
            return _run("quantize", (files.model(model), path_of(output, "output")), options, (data, reader), progress, files, distance=distance)
        target = files.output("quantized.onnx")
        result = _with_model(_run("quantize", (files.model(model), target), options, (data, reader), progress, files, distance=distance), target)
    if ignored:
        result.warn("CryptoMode: the result is returned and the output is ignored; with key_file it is written, encrypted")
    return result


@_completed
def calibrate(model: Model, output: Path, data: Data = None, reader: Optional[Reader] = None,
              progress: Progress = None, **options: Unpack[CalibrateOptions]) -> Result:
    """One pass over the data: every method's statistics, into a .calib file. Arguments, Result and errors as of quantize()."""
    with Files(options) as files:
        return _run("calibrate", (files.model(model), path_of(output, "output")), options, (data, reader), progress, files)


def merge(files: Union[Path, Sequence[Path]], output: Path) -> Result:
    """Merges .calib files of one model that hold different samples: the bytes of one run over all samples. Or a run's description
    (preon.launch): all of its shards. Result and errors as of quantize(); an error names the file that does not belong to the others."""
    listed = [files] if isinstance(files, (str, bytes, os.PathLike)) else files
    return _run("merge", ([path_of(file, "files") for file in listed], path_of(output, "output")), {})


def status(run: Path) -> Result:
    """What has become of the shards of a run (preon.launch), by its description: `result.shards` has shard, result, state (done,
    missing, failed, stale), reason; `result.complete` is true when all are done."""
    return _run("status", (path_of(run, "run"), ""), {})


@_completed
def ranges(model: Model, output: Optional[Path] = None, data: Data = None, reader: Optional[Reader] = None,
           progress: Progress = None, **options: Unpack[RangesOptions]) -> Result:
    """The ranges that a method gives: `result.tensors[name]` has min, max, scale, zero_point. With `all_methods=True` each method's:
    `result.methods[method]["tensors"][name]`.

    model   a .calib file; or a model, together with data or a reader
    output  path for the same as JSON, or None

    The rest as of quantize(); options of `preon ranges --help`.
    """
    with Files(options) as files:
        target = path_of(output, "output") if output is not None else ""
        return _run("ranges", (files.model(model), target), options, (data, reader), progress, files)


@_completed
def analyze(calib: Path, progress: Progress = None, **options: Unpack[AnalyzeOptions]) -> Result:
    """Outliers, method advice and coverage of production, tensor by tensor, of a .calib file. Options of `preon analyze --help`,
    Result and errors as of quantize()."""
    return _run("analyze", (path_of(calib, "calib"), ""), options, progress=progress)


@_completed
def run(model: Model, data: Data = None, reader: Optional[Reader] = None, progress: Progress = None, **options: Unpack[RunOptions]) -> Result:
    """Runs a model, float or quantized, on the samples: latency, throughput, peak memory. `save`: a folder that gets every output of
    each run as OUTPUT/NNNNNN.npy. The rest as of quantize(); options of `preon run --help`."""
    with Files(options) as files:
        return _run("run", (files.model(model), ""), options, (data, reader), progress, files)


@_completed
def inspect(model: Model, **options: Unpack[InspectOptions]) -> Result:
    """What is in a model or a .calib file. Options of `preon inspect --help`, Result and errors as of quantize()."""
    with Files(options) as files:
        return _run("inspect", (files.model(model), ""), options, files=files)


@_completed
def instrument(model: Model, output: Path, data: Data = None, reader: Optional[Reader] = None, progress: Progress = None,
               **options: Unpack[InstrumentOptions]) -> Result:
    """Writes the model that collects, wherever it is served, what calibrate() would. `data`, `reader`: samples to check it with;
    default: one random sample. Options of `preon instrument --help`, Result and errors as of quantize()."""
    with Files(options) as files:
        return _run("instrument", (files.model(model), path_of(output, "output")), options, (data, reader), progress, files)


@_completed
def passes(model: Model, output: Optional[Path] = None, names: Union[str, Sequence[str]] = (), **options: Unpack[PassesOptions]) -> Result:
    """Rewrites a model, float or quantized, by the passes that `names` says: `preon passes --pass help` lists them.

    list    more of them, in their order: a list of passes of AMD Quark's as a dict, a .yaml or .json file, or one of its names; or a
            text file of names
    output  path; None: the result's `model` is an onnx.ModelProto
    Options of `preon passes --help`, Result and errors as of quantize().
    """
    if isinstance(options.get("list"), Mapping):
        options["list"] = json.dumps(options["list"], default=dict)
    with Files(options) as files:
        target = path_of(output, "output") if output is not None else files.output("rewritten.onnx")
        options_and_names = {"pass": [names] if isinstance(names, str) else list(names), **options}
        result = _run("passes", (files.model(model), target), options_and_names, progress=False, files=files)
        return result if output is not None else _with_model(result, target)


@_completed
def lint(model: Model, output: Optional[Path] = None, data: Data = None, reader: Optional[Reader] = None, progress: Progress = None,
         **options: Unpack[LintOptions]) -> Result:
    """Why a quantized model, of any tool, is slow in ONNX Runtime; with `fix=True` and `output` it is fixed where results stay the same.

    `data`, `reader`: samples that compare the fixed model with the one given; default: one random sample.
    Options of `preon lint --help`, Result and errors as of quantize().
    """
    with Files(options) as files:
        target = path_of(output, "output") if output is not None else ""
        return _run("lint", (files.model(model), target), options, (data, reader), progress, files)


@_completed
def retarget(model: Model, output: Path, data: Data = None, reader: Optional[Reader] = None, progress: Progress = None,
             **options: Unpack[RetargetOptions]) -> Result:
    """Writes another form of a quantized model, of any tool, with the same codes: int8 or uint8 activations, Q/DQ or integer operators.

    `data`, `reader`: samples that compare both models; default: one random sample. Options of `preon retarget --help`, Result and
    errors as of quantize().
    """
    with Files(options) as files:
        return _run("retarget", (files.model(model), path_of(output, "output")), options, (data, reader), progress, files)


@_completed
def export_qat(model: Model, output: Path, data: Data = None, reader: Optional[Reader] = None, progress: Progress = None,
               **options: Unpack[ExportQatOptions]) -> Result:
    """Writes to the folder `output` what training needs to go on from a quantized model, of any tool: float graph, scales, a loader for PyTorch.

    `float_model`: the float model whose weights training begins with; `data` tells with it how far each activation is from float.
    Result and errors as of quantize().
    """
    with Files(options) as files:
        return _run("export_qat", (files.model(model), path_of(output, "output")), options, (data, reader), progress, files)


@_completed
def diff(model: Model, other: Model, data: Data = None, reader: Optional[Reader] = None, progress: Progress = None,
         **options: Unpack[DiffOptions]) -> Result:
    """What differs between two models, float or quantized, of any tools: nodes, scales, codes, constants; with samples also outputs.

    Nothing is written. The rest as of compare(); options of `preon diff --help`.
    """
    with Files(options) as files:
        return _run("diff", (files.model(model), files.model(other, "other")), options, (data, reader), progress, files)


@_completed
def compare(model: Model, quantized: Model, data: Data = None, reader: Optional[Reader] = None,
            progress: Progress = None, **options: Unpack[CompareOptions]) -> Result:
    """How far the outputs of `quantized` are from those of `model` over the samples; accuracy where they have labels.

    Both are paths or onnx.ModelProto. The rest as of quantize(); options of `preon compare --help`.
    """
    with Files(options) as files:
        return _run("compare", (files.model(model), files.model(quantized, "quantized")), options, (data, reader), progress, files)


@_completed
def sensitivity(model: Model, data: Data = None, reader: Optional[Reader] = None, progress: Progress = None,
                **options: Unpack[SensitivityOptions]) -> Result:
    """Which layers and tensors make the error of the quantized model, why, and what layers in float would gain.

    `layers` come with the largest gain first; `fix` has the nodes to exclude. Nothing is written.
    The rest as of quantize(); options of `preon sensitivity --help`.
    """
    with Files(options) as files:
        return _run("sensitivity", (files.model(model), ""), options, (data, reader), progress, files)


@_completed
def validate(model: Model, quantized: Union[Model, Sequence[Model], None] = None, data: Data = None, reader: Optional[Reader] = None,
             progress: Progress = None, **options: Unpack[ValidateOptions]) -> Result:
    """Whether a quantized model may be shipped (`verdict`: ship, adjust or escalate), and which steps come next.

    `quantized`: a model of any tool, or several; None: several quantized forms of `model` are made from `data` and judged.
    `eval_data`: samples that judge, as paths, an array or arrays by input name; default: a fifth of `data`. `reference`: what the
    first output should be, likewise. The rest as of quantize(); options of `preon validate --help`.
    """
    with Files(options) as files:
        return _run("validate", (files.model(model), files.models(quantized, "quantized")), options, (data, reader), progress, files)


@_completed
def search(model: Model, output: Path, space: Union[Mapping[str, Any], Path], data: Data = None, reader: Optional[Reader] = None,
           progress: Progress = None, **options: Unpack[SearchOptions]) -> Result:
    """Tries configurations of `space` and writes the best model. Ctrl-C ends the search with the best so far.

    `space`: a dict, or a file of it: {"method": ["minmax", "minmse"], "symmetric": [True, False]} (docs/search.md).
    `result.trials` has each configuration with its figures, `result.trials[result.best]` is that of the model. The rest as of
    quantize(); options of `preon search --help`.
    """
    text = json.dumps(space, default=number) if isinstance(space, Mapping) else path_of(space, "space")
    with Files(options) as files:
        return _run("search", (files.model(model), path_of(output, "output")), {**options, "space": text}, (data, reader), progress, files)


@_completed
def report(model: Model, output: Optional[Path] = None, quantized: Union[Model, Sequence[Model], None] = None, data: Data = None, reader: Optional[Reader] = None,
           progress: Progress = None, **options: Unpack[ReportOptions]) -> Result:
    """What validate() and sensitivity() say, with histograms and the samples that change most, as one page.

    `output`: a file that ends with .html, .json or .txt; None: only the Result. The rest as of validate().
    """
    with Files(options) as files:
        target = path_of(output, "output") if output is not None else ""
        models = [files.model(model), *files.models(quantized, "quantized")]
        return _run("report", (models, target), options, (data, reader), progress, files)
