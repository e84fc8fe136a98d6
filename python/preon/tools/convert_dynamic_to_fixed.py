"""convert_dynamic_to_fixed: not in this version."""
from ._command import absent

absent(globals(), "python -m preon.tools.fix_shapes, or preon quantize --fix-shape")
