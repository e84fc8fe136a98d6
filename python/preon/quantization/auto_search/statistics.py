"""Models of trials: calibration runs once, and every model is made from its statistics."""
import json
import pathlib
import warnings

from ...core import calibrate, quantize
from ...errors import PreonError

_NEEDS_DATA, _NO_EFFECT, _OTHER_STATISTICS = 1003, 1004, 3013


class Statistics:
    """Makes quantized models of one float model.

    A file of statistics fits all configurations with the same graph: other methods, types, symmetry, scales. Another graph
    (cross-layer equalization, another target) gets a file of its own; the library says which file fits.
    """

    def __init__(self, model, samples, folder):
        self.model, self.folder, self.files = model, pathlib.Path(folder), []
        self.samples = [inputs for inputs, _ in samples]
        self.need_samples = set()   #: algorithms of configurations that are not made from statistics alone

    def quantize(self, config, output, with_samples=False):
        """Writes the model of a QConfig. Returns the Result. Raises what preon.quantize() raises."""
        stored = config.to_dict()
        stored["extra_options"].pop("UseRandomData", None)  # for the case that there are no samples
        settings = {"qconfig": json.dumps(stored), "latency": 0, "always_write": True, "progress": False}
        algorithms = tuple(sorted(each["name"] for each in stored["algo_config"]))
        if with_samples or algorithms in self.need_samples:
            settings["data"] = self.samples
        try:
            return self._from_statistics(settings, output)
        except PreonError as error:
            if error.number == _NO_EFFECT and "--calib" in error.message:
                return quantize(self.model, output, **{**settings, "data": self.samples})
            if error.number != _NEEDS_DATA or "data" in settings:
                raise
        self.need_samples.add(algorithms)
        return self._from_statistics({**settings, "data": self.samples}, output)

    def remove(self):
        for file in self.files:
            file.unlink(missing_ok=True)

    def _from_statistics(self, settings, output):
        for file in self.files:
            try:
                result = quantize(self.model, output, calib=file, **settings)
            except PreonError as error:
                if error.number != _OTHER_STATISTICS:
                    raise
                continue
            self.files.remove(file)
            self.files.insert(0, file)  # the next configuration is likely to be of the same kind
            return result
        file = self.folder / f"statistics_{len(self.files)}.calib"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            calibrate(self.model, file, data=self.samples, qconfig=settings["qconfig"], progress=False)
        result = quantize(self.model, output, calib=file, **settings)
        self.files.insert(0, file)
        return result
