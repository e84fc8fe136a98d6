"""An earlier release's place of `preon.calibration`: `from preon.calibrate import PowerOfTwoMethod`.

`preon.calibrate` stays the function: it is what this import leaves there, with those names as attributes.
"""
import sys

from . import calibration
from .core import calibrate

for _name in (*vars(calibration), *calibration.calibrators.OF_ONNX_RUNTIME):
    if not _name.startswith("_"):
        setattr(calibrate, _name, getattr(calibration, _name, None) or getattr(calibration.calibrators, _name))
sys.modules[__name__] = calibrate  # type: ignore[assignment]
