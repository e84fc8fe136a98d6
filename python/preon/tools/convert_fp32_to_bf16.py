"""convert_fp32_to_bf16: not in this version."""
from ._command import absent

absent(globals(), "preon quantize --activation bfloat16, with --bfloat16 casts")
