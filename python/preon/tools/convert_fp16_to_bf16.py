"""convert_fp16_to_bf16: not in this version."""
from ._command import absent

absent(globals(), "preon quantize --float16 convert --activation bfloat16, with --bfloat16 casts")
