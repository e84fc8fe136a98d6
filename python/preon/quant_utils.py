"""An earlier release's place of `preon.quantization.quant_utils` and of the calibration methods."""
from .calibration.methods import *  # noqa: F403
from .deploy import dump_model, get_library_path  # noqa: F401
from .quantization.quant_utils import *  # noqa: F403
from .quantization.quant_utils import _COP_DOMAIN, _COP_VERSION  # noqa: F401
