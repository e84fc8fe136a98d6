"""Places of names in earlier releases of Quark, and that functions of preon keep theirs."""
import subprocess
import sys

import pytest

SCRIPTS = [
    "from preon.quant_utils import PowerOfTwoMethod, VitisQuantType, VitisQuantFormat, Int16Method, ExtendedQuantType, dump_model, _COP_DOMAIN",
    "from preon.calibrate import PowerOfTwoMethod, CalibrationMethod, create_calibrator_float_scale, create_calibrator_power_of_two, CalibrationDataReader",
    "from preon.auto_search import AutoSearch, AutoSearchConfig, SearchSpace, AutoSearchPro",
    "from preon.quantize import quantize_static, quantize_dynamic",
    "import preon.calibrate as c; import preon.quantize as q; assert c.PowerOfTwoMethod.MinMSE and q.quantize_static",
    "from preon.calibrate import MinMaxCalibrater; import onnxruntime.quantization.calibrate as o; assert MinMaxCalibrater is o.MinMaxCalibrater",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_imports(package, script):
    code = f"{script}\nimport preon, inspect\nassert inspect.isfunction(preon.calibrate) and inspect.isfunction(preon.quantize)\n" \
           "from preon import calibrate, quantize\nassert 'model' in inspect.signature(quantize).parameters\n" \
           "from preon.calibration.methods import PowerOfTwoMethod as place\nassert place is preon.PowerOfTwoMethod\nprint('fine')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr
