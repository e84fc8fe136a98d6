"""convert_custom_ops: not in this version."""
from ._command import absent

absent(globals(), "libpreon_ops.so takes both domains, com.amd.quark and com.vai.quantize, as they are")
