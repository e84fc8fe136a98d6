"""convert_fp16_to_bfp16: not in this version."""
from ._command import absent

absent(globals(), "preon quantize --float16 convert --activation bfp16")
