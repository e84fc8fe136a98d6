"""convert_qdq_to_qop: not in this version."""
from ._command import absent

absent(globals(), "quantize the float model again: preon quantize --format qoperator")
