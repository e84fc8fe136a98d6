"""convert_u16u8_to_u8u8: not in this version."""
from ._command import absent

absent(globals(), "quantize the float model again: preon quantize --activation uint8 --weight uint8")
