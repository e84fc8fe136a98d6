"""convert_a8w8_npu_to_a8w8_cpu: not in this version."""
from ._command import absent

absent(globals(), "quantize the float model again: preon quantize --target ort-cpu")
