"""AMD Quark's command-line tools: `python -m preon.tools.NAME --help`.

Those that this version has work on models as they are, float or quantized, and need the package onnx. The others say what to
use instead, or what is missing.
"""
