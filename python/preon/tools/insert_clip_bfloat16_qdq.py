"""insert_clip_bfloat16_qdq: not in this version."""
from ._command import absent

absent(globals(), "quantize the float model again with --bfloat16 clip")
