"""convert_fp32_to_bfp16: not in this version."""
from ._command import absent

absent(globals(), "preon quantize --activation bfp16")
