"""AMD Quark's command-line tools: `python -m preon.tools.NAME --help`.

They work on models as they are, float or quantized, and need the package onnx.
"""
