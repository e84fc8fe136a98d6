"""A quantized LSTM becomes ExtendedLSTM of com.amd.quark, which computes it in 16-bit integers; libpreon_ops.so has it. The LSTM is bidirectional, for a
batch of 1, without initial states, lengths, peepholes and clipping; its input, weights, biases and output have 16-bit quantizers of one scale each."""
import sys

import numpy as np

from ..errors import ConfigError
from ._command import model_tool, warn
from ._pairs import DEQUANTIZERS, QUANTIZERS, Pairs, dequantized

_DOMAIN = "com.amd.quark"
_DEFAULTS = {"layout": 0, "input_forget": 0}
_ACTIVATIONS = [b"sigmoid", b"tanh", b"tanh"] * 2


def convert_lstm_to_customlstm(model):
    """Changes the model in place and returns it. LSTMs that have no such form stay, and stderr says why. Raises ConfigError where all do."""
    from onnx import helper

    pairs = Pairs(model)
    shapes = {each.name: each.type.tensor_type.shape for each in (*model.graph.input, *model.graph.value_info)}
    converted, reasons = 0, []
    for node in [each for each in model.graph.node if each.op_type == "LSTM" and each.domain in ("", "ai.onnx")]:
        try:
            made = _converted(pairs, node, shapes, helper)
        except ValueError as reason:
            reasons.append(f"{node.name or node.output[0]}: {reason}")
            continue
        node.CopyFrom(made)
        converted += 1
    if not converted:
        raise ConfigError(1004, "; ".join(reasons) or "the model has no LSTM", exit_status=2)
    for reason in reasons:
        warn(f"stays LSTM: {reason}")
    pairs.finish()
    if all(each.domain != _DOMAIN for each in model.opset_import):
        model.opset_import.add(domain=_DOMAIN, version=1)
    return model


def _converted(pairs, node, shapes, helper):
    """The node that stands for it; its quantizers are gone then. Raises ValueError that says what it lacks."""
    settings = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    _check(node, settings, pairs)
    params, floats = {}, []
    for letter, name in zip("xwrb", node.input):
        dequantize = pairs.producers.get(name)
        if dequantize is None or dequantize.op_type not in DEQUANTIZERS:
            raise ValueError(f"input {letter.upper()} has no quantizer; wanted one with 16 bits")
        quantize = pairs.producers.get(dequantize.input[0])
        if dequantize.input[0] not in pairs.constants and (quantize is None or quantize.op_type not in QUANTIZERS):
            raise ValueError(f"input {letter.upper()}: no quantizer of the model writes its codes")
        params[letter] = _params(pairs, dequantize, f"input {letter.upper()}")
        floats.append((name, dequantize))
    readers = pairs.readers(node.output[0])
    if len(readers) != 1 or readers[0][0].op_type not in QUANTIZERS or node.output[0] in pairs.outputs:
        raise ValueError("output Y has no quantizer; wanted one with 16 bits and no other reader")
    quantize = readers[0][0]
    params["y"] = _params(pairs, quantize, "output Y")
    back = [reader for reader, _ in pairs.readers(quantize.output[0])]
    if len(back) != 1 or back[0].op_type not in DEQUANTIZERS:
        raise ValueError("output Y: several nodes read its codes; wanted one DequantizeLinear")
    shape = shapes.get(floats[0][0]) or shapes.get(pairs.producers.get(floats[0][1].input[0], floats[0][1]).input[0])
    if shape is not None and len(shape.dim) == 3 and shape.dim[1].dim_value not in (0, 1):
        raise ValueError(f"the batch is {shape.dim[1].dim_value}; wanted 1, all that ExtendedLSTM computes")
    inputs = [_float_source(pairs, name, dequantize) for name, dequantize in floats]
    result = back[0].output[0]
    pairs.gone.update((id(quantize), id(back[0])))
    attributes = {"direction": "bidirectional", "hidden_size": int(settings["hidden_size"]), **_DEFAULTS}
    for letter, (scale, zero) in params.items():
        attributes.update({f"{letter}_scale": scale, f"{letter}_zero_point": zero})
    return helper.make_node("ExtendedLSTM", inputs, [result], name=node.name, domain=_DOMAIN, **attributes)


def _check(node, settings, pairs):
    if settings.get("direction", b"forward") != b"bidirectional":
        raise ValueError(f"direction is {settings.get('direction', b'forward').decode()}; wanted bidirectional")
    if any(settings.get(name, value) != value for name, value in _DEFAULTS.items()):
        raise ValueError("wanted layout 0 and input_forget 0")
    if "clip" in settings or [each.lower() for each in settings.get("activations", _ACTIVATIONS)] != _ACTIVATIONS:
        raise ValueError("wanted Sigmoid and Tanh as activations, and no clip")
    if len(node.input) < 4 or not node.input[3] or any(node.input[4:]):
        raise ValueError("wanted the inputs X, W, R and B alone: no lengths, initial states and peepholes")
    if "hidden_size" not in settings:
        raise ValueError("wanted the attribute hidden_size")
    if any(name and (pairs.readers(name) or name in pairs.outputs) for name in node.output[1:]):
        raise ValueError("Y_h or Y_c is read; wanted Y alone")
    if not node.output or not node.output[0]:
        raise ValueError("wanted the output Y")


def _params(pairs, node, what):
    """(scale, zero point as a uint16 code). Raises ValueError."""
    if len(node.input) < 3 or any(name not in pairs.constants for name in node.input[1:3]):
        raise ValueError(f"{what}: wanted a constant scale and zero point")
    scale, zero = pairs.array(node.input[1]), pairs.array(node.input[2])
    if zero.dtype not in (np.int16, np.uint16) or zero.size != 1:
        raise ValueError(f"{what} has {zero.size} zero point{'s' * (zero.size > 1)} in {zero.dtype}; wanted one in int16 or uint16")
    return float(scale.reshape(-1)[0]), int(zero.reshape(-1)[0]) + (32768 if zero.dtype == np.int16 else 0)


def _float_source(pairs, name, dequantize):
    """What the quantizer reads, or the floats of constant codes: the operator quantizes them itself, to the same codes."""
    if dequantize.input[0] in pairs.constants:
        values = f"{name}_float"
        pairs.set_constant(values, np.ascontiguousarray(dequantized(pairs, dequantize)))
        _drop(pairs, dequantize, 1)
        return values
    quantize = pairs.producers[dequantize.input[0]]
    source = quantize.input[0]
    _drop(pairs, dequantize, 1)
    _drop(pairs, quantize, 0)
    return source


def _drop(pairs, node, readers):
    """Where no more than these read it: the LSTM still reads its dequantizers."""
    if len(pairs.readers(node.output[0])) <= readers and node.output[0] not in pairs.outputs:
        pairs.gone.add(id(node))


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, _: convert_lstm_to_customlstm(model))

if __name__ == "__main__":
    sys.exit(main())
