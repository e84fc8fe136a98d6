"""convert_fp16_to_fp32: not in this version."""
from ._command import absent

absent(globals(), "preon quantize --float16 convert computes in float32 before it quantizes")
