"""The operator library, by the path under which Quark has it."""
from ..deploy import get_library_path
from ..quantization.quant_utils import _COP_DOMAIN, _COP_VERSION

__all__ = ["get_library_path", "_COP_DOMAIN", "_COP_VERSION"]
