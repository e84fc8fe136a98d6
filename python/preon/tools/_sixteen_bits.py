"""What the tools to bfloat16 and bfp16 share."""
import os

from ..core import passes, quantize
from ..errors import ConfigError
from ._command import EXTERNAL_DATA, model_tool

#: By --format: how `preon quantize` writes bfloat16.
_FORMS = {"customqdq": {}, "with_cast": {"bfloat16": ["casts"]}, "simulate_bf16": {"bfloat16": ["vaiml"]}}
_OPSET = 22   # the first in which Conv and the pools have bfloat16


def to_bfloat16(model, form, half):
    """Of a path or an onnx.ModelProto, which stays as it is; returns the new one.

    form  customqdq, with_cast, simulate_bf16 or bf16
    half  the model is float16
    """
    if form == "bf16":
        return _computing_in_bfloat16(model, half)
    return _quantized(model, "bfloat16", half, option=["QuantizeAllOpTypes=true"], **_FORMS[form])


def to_bfp16(model, half):
    return _quantized(model, "bfp16", half)


def bfloat16_tool(description, half):
    return model_tool(f"{description} --format customqdq: quantizers of com.amd.quark, which libpreon_ops.so has; with_cast: pairs of Casts instead; simulate_bf16: "
                      "Casts at the inputs alone, weights hold bfloat16's values as floats; bf16: all computes in bfloat16, between Casts at the inputs and outputs, "
                      "which ONNX Runtime's CPU provider can't execute.",
                      ("--input", "--output"), lambda model, given: to_bfloat16(model, given.format, half), by_path=True,
                      format={"choices": [*_FORMS, "bf16"], "default": "with_cast", "help": "default: with_cast"}, save_as_external_data=EXTERNAL_DATA)


def bfp16_tool(description, half):
    return model_tool(description, ("input", "output"), lambda model, _: to_bfp16(model, half), by_path=True, save_as_external_data=EXTERNAL_DATA)


def _quantized(model, kind, half, **options):
    """The types need no ranges: one random sample shows that the result runs; biases must not depend on it."""
    _opset_of(model, half)
    return quantize(model, data="random:1", activation=kind, weight=kind, target="quark", latency=0, always_write=True, no_bias_correction=True,
                    progress=False, **options).model


def _computing_in_bfloat16(model, half):
    import onnx

    from ._narrow import narrow

    target = max(_OPSET, _opset_of(model, half))
    raised = passes(model, list={"passes": {"onnx_convert_opset_version": {"target_opset_version": target}}}).model
    return narrow(raised, onnx.TensorProto.FLOAT16 if half else onnx.TensorProto.FLOAT, onnx.TensorProto.BFLOAT16, keep_io=True)


def _opset_of(model, half):
    """Raises ConfigError where the model is not in the type that the tool is for."""
    import onnx

    loaded = onnx.load(model, load_external_data=False) if isinstance(model, (str, os.PathLike)) else model
    wanted = onnx.TensorProto.FLOAT16 if half else onnx.TensorProto.FLOAT
    types = {each.type.tensor_type.elem_type for each in loaded.graph.input} | {each.data_type for each in loaded.graph.initializer}
    types |= {each.t.data_type for node in loaded.graph.node if node.op_type == "Constant" for each in node.attribute}
    if wanted not in types:
        raise ConfigError(1004, f"the model has no input and no constant in {'float16' if half else 'float32'}", exit_status=2)
    return next((each.version for each in loaded.opset_import if each.domain in ("", "ai.onnx")), 1)
