"""An earlier release's place of quantize_static and quantize_dynamic. `preon.quantize` stays the function: preon/calibrate.py says how."""
import sys

from .core import quantize
from .quantization.quantize import quantize_dynamic, quantize_static

quantize.quantize_static, quantize.quantize_dynamic = quantize_static, quantize_dynamic  # type: ignore[attr-defined]
sys.modules[__name__] = quantize  # type: ignore[assignment]
