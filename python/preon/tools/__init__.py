"""The reference's command-line tools (`quark.onnx.tools.NAME`): none is in this version."""
from ..errors import not_yet

_INSTEAD = {"evaluate": "preon compare", "print_a16w8_a8w8_nodes": "preon inspect",
            "convert_fp16_to_fp32": "preon quantize --float16 convert"}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise not_yet(f"tools.{name}", f"see `{_INSTEAD[name]}`" if name in _INSTEAD else "")
