"""convert_fp32_to_fp16: not in this version."""
from ._command import absent

absent(globals(), "preon quantize --activation float16 rounds to float16")
