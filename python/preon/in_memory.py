"""What a call was given in memory, as files that the library reads."""
import contextlib
import os
from collections.abc import Mapping

from .errors import ConfigError, ModelError
from .samples import array_of, is_array, is_path, is_reader, named_arrays
from .sources import is_read_directly, local, temporary_folder

_PATH_OR_MODEL = ("model", "quantized", "other")
_SHOWN = {"eval_data": "eval_data (Quark's EvalDataReader)"}
_EXTERNAL = 1  # ONNX's number: the values are in another file


class Files(contextlib.ExitStack):
    """Temporary files, below `tmp_dir` of the options. `shown_as` has what messages and results call them, and files fetched for samples.

    in_memory   they are in no folder, and samples that would need one are refused: for what must not get to the disk
    """

    def __init__(self, options, in_memory=False):
        super().__init__()
        self.in_memory = in_memory
        given = options.get("tmp_dir", options.get("tmp-dir"))
        parent = given[-1] if isinstance(given, (list, tuple)) and given else given  # the library refuses several
        self.parent = None if parent is None else path_of(parent, "tmp_dir")
        self.shown_as = []

    def model(self, model, what="model"):
        """The path of a model; `what`: the argument that it came as."""
        if is_path(model):
            return path_of(model, what)
        if not hasattr(model, "SerializeToString"):
            raise TypeError(f"{what}: got {type(model).__name__}, wanted a path or an onnx.ModelProto")
        content = _serialized(model, what)
        path = self._path("model.onnx", what)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def models(self, models, what):
        """The paths of no model, of one or of several."""
        if not isinstance(models, (list, tuple)):
            return [] if models is None else [self.model(models, what)]
        return [self.model(model, f"{what}[{index}]" if len(models) > 1 else what) for index, model in enumerate(models)]

    def output(self, name):
        """The path of a model that the result has as `model`."""
        return self._path(name, "result.model")

    def samples(self, value, what):
        """Paths as they are; an array, or arrays by name, as the path of a file of them; a reader's samples as a folder of such files."""
        if value is None or is_path(value) or (isinstance(value, (list, tuple)) and all(map(is_path, value))):
            return value
        import numpy as np

        self._refuse_folder(_SHOWN.get(what, what), f"wanted a file or folder that preon reads itself (.npz, .npy, images, sound) as {what}"
                            + "; without it the samples of the calibration judge" * (what == "eval_data"))
        if isinstance(value, Mapping):
            arrays = {name: array_of(array, 0, name, {}) for name, array in value.items()}
            np.savez(path := self._path(f"{what}.npz", what), **arrays)
        elif is_array(value):
            array = array_of(value, 0, what, {})
            np.save(path := self._path(f"{what}.npy", what), array)
        elif is_reader(value):
            os.mkdir(path := self._path(what, what))
            for index, sample in enumerate(iter(value.get_next, None)):
                if not sample:
                    break
                np.savez(os.path.join(path, f"{index:09d}.npz"), **named_arrays(sample, index, {}))
        else:
            raise TypeError(f"{what}: got {type(value).__name__}, wanted a path, a list of paths, an array or arrays by name, or an object with get_next()")
        return path

    def local(self, source):
        """The path of what `data` names (sources.local)."""
        if not is_read_directly(source):
            self._refuse_folder("data", "files that preon reads itself (.npz, .npy, images, sound), arrays and readers are possible")
        path = self.enter_context(local(source, self.parent))
        if path is not source:
            self.shown_as.append((path_of(path, "data"), os.fsdecode(source)))
        return path

    def _refuse_folder(self, what, hint):
        if self.in_memory:
            raise ConfigError(1004, f"{what}: these samples would have to be written to a folder, and in crypto mode nothing gets to the disk", hint, 2)

    def _path(self, name, shown):
        if self.in_memory:
            file = os.memfd_create("preon")
            self.callback(os.close, file)
            path = f"/proc/self/fd/{file}"
        else:
            path = path_of(os.path.join(self.enter_context(temporary_folder(self.parent)), name), "tmp_dir")
        self.shown_as.append((path, shown))
        return path


def path_of(value, what):
    """A path as text. Raises TypeError for anything else, ConfigError for one that is not in UTF-8."""
    if not is_path(value):
        raise TypeError(f"{what}: got {type(value).__name__}, wanted a path")
    path = os.fsdecode(value)
    try:
        path.encode()
    except UnicodeEncodeError:
        hint = "a model in memory is an onnx.ModelProto: onnx.load_from_string(...)" if what.partition("[")[0] in _PATH_OR_MODEL else None
        raise ConfigError(1002, f"{what}: got {len(path)} bytes that are no path in UTF-8", hint, 2) from None
    return path


def _serialized(model, what):
    for tensor in getattr(getattr(model, "graph", None), "initializer", ()):
        if tensor.data_location == _EXTERNAL:
            file = next((entry.value for entry in tensor.external_data if entry.key == "location"), "")
            raise ModelError(2006, f"{what}: tensor '{tensor.name}' has its values in the file '{file}', and a model in memory has no folder to look in",
                             "give the path of the model, or load it together with these values: onnx.load(path)", 2)
    from google.protobuf.message import EncodeError

    try:
        return model.SerializeToString()
    except (EncodeError, ValueError) as error:
        raise ModelError(2012, f"{what}: a model in memory may have at most 2147483647 bytes ({error})",
                         "onnx.save_model(model, 'model.onnx', save_as_external_data=True), and give that path", 2) from None
