"""replace_bfloat16_qdq_cast: not in this version."""
from ._command import absent

absent(globals(), "quantize the float model again with --bfloat16 casts")
