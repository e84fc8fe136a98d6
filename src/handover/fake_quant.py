"""The quantized model in PyTorch: float weights, rounded on the way as the quantized model rounds them, to train on.

Needs `pip install torch onnx onnx2torch`.

    import fake_quant                               # this file, in the folder that `preon export-qat` wrote
    model = fake_quant.load()                       # a torch.nn.Module; parameters(): weights, biases and scales
    ...                                             # train it as any other
    fake_quant.save(model, "trained")               # model.onnx and encodings.json

    preon quantize trained/model.onnx --encodings trained/encodings.json -o trained.int8.onnx

Rounding passes gradients on unchanged between the lowest and the highest code, and none outside ("straight-through"). Scales learn as in LSQ
(Esser et al. 2020, https://arxiv.org/abs/1902.08153). Zero points stay. Other constants than those that are rounded and biases stay, too.
"""
import json
import math
import pathlib

import onnx
import torch
from onnx2torch import convert
from onnx2torch.node_converters.registry import _CONVERTER_REGISTRY, add_converter, get_converter
from onnx2torch.utils.common import OnnxMapping, OperationConverterResult
from torch import nn

QONNX = "qonnx.custom_op.general"
OURS = "preon"  # domain of Quant and of operators whose weight a Quant gives, while they become modules
HERE = pathlib.Path(__file__).resolve().parent
#: No scale becomes smaller than that part of what it was.
_MOST_SHRUNK = 128


class _ScaleGradient(torch.autograd.Function):
    """The value as it is, its gradient times a factor."""

    @staticmethod
    def forward(ctx, value, factor):
        ctx.factor = factor
        return value.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.factor, None


class FakeQuantize(nn.Module):
    """Rounds a tensor as QuantizeLinear and DequantizeLinear do.

    name: of the tensor. scale, zero_point: in shapes that broadcast to the tensor's. value: of a constant, which forward() then rounds.
    """

    def __init__(self, name, scale, zero_point, bits, signed, value=None):
        super().__init__()
        self.tensor = name
        self.lowest = -2**(bits - 1) if signed else 0
        self.highest = self.lowest + 2**bits - 1
        self.scale = scale
        self.register_buffer("least_scale", scale.detach().clone() / _MOST_SHRUNK, persistent=False)
        self.register_buffer("zero_point", zero_point)
        self.value = value

    def positive_scale(self):
        """A step of the optimizer may take a small scale to 0 and below, from where it would not come back."""
        return torch.maximum(self.scale, self.least_scale)

    def forward(self, x=None):
        x = self.value if x is None else x
        shared = x.numel() / self.scale.numel() if self.value is not None else x[0].numel() if x.dim() else 1
        scale = _ScaleGradient.apply(self.positive_scale(), 1 / math.sqrt(max(shared, 1) * max(self.highest, 1)))
        codes = x / scale
        codes = codes + (codes.round() - codes).detach() + self.zero_point
        return (codes.clamp(self.lowest, self.highest) - self.zero_point) * scale


class _Conv(nn.Module):
    """Conv and ConvTranspose with a weight that is an input."""

    def __init__(self, attributes, transposed):
        super().__init__()
        self.attributes, self.transposed = attributes, transposed
        self.bias = None

    def forward(self, x, weight, bias=None):
        rank = x.dim() - 2
        get = self.attributes.get
        strides, dilations, groups = get("strides", [1] * rank), get("dilations", [1] * rank), get("group", 1)
        kernel = weight.shape[2:]
        pads = get("pads", [0] * 2 * rank)
        bias = self.bias if bias is None else bias
        if self.transposed:
            begin = pads[:rank]
            if get("auto_pad", "NOTSET") != "NOTSET" or "output_shape" in self.attributes or begin != pads[rank:]:
                raise NotImplementedError(f"ConvTranspose with paddings that differ, or that the shape of the output gives: {self.attributes}")
            function = (nn.functional.conv_transpose1d, nn.functional.conv_transpose2d, nn.functional.conv_transpose3d)[rank - 1]
            return function(x, weight, bias, strides, begin, get("output_padding", [0] * rank), groups, dilations)
        if get("auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER"):
            wanted = [max(0, (-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size)
                      for size, stride, k, dilation in zip(x.shape[2:], strides, kernel, dilations)]
            less, more = [size // 2 for size in wanted], [size - size // 2 for size in wanted]
            pads = less + more if get("auto_pad") == "SAME_UPPER" else more + less
        begin, end = pads[:rank], pads[rank:]
        if begin != end:
            x = nn.functional.pad(x, [size for pair in reversed(list(zip(begin, end))) for size in pair])
            begin = [0] * rank
        function = (nn.functional.conv1d, nn.functional.conv2d, nn.functional.conv3d)[rank - 1]
        return function(x, weight, bias, strides, begin, dilations, groups)


class _Gemm(nn.Module):
    def __init__(self, attributes):
        super().__init__()
        self.attributes = attributes
        self.bias = None

    def forward(self, a, b, c=None):
        a = a.t() if self.attributes.get("transA", 0) else a
        b = b.t() if self.attributes.get("transB", 0) else b
        c = self.bias if c is None else c
        result = a @ b * self.attributes.get("alpha", 1.0)
        return result if c is None else result + c * self.attributes.get("beta", 1.0)


def _parameter(graph, name):
    """A constant as a parameter: one, however many nodes read it."""
    parameters = graph.__dict__.setdefault("preon_parameters", {})
    if name not in parameters:
        parameters[name] = nn.Parameter(graph.initializers[name].to_torch().clone())
    return parameters[name]


@add_converter("Quant", 1, OURS)
def _quant(node, graph):
    x, scale, zero_point, bits = node.input_values
    is_constant = x in graph.initializers
    module = FakeQuantize(scale.removesuffix("_quant_scale"), _parameter(graph, scale), graph.initializers[zero_point].to_torch(),
                          int(graph.initializers[bits].to_torch()), bool(node.attributes.get("signed", 1)),
                          _parameter(graph, x) if is_constant else None)
    return OperationConverterResult(module, OnnxMapping(() if is_constant else (x,), node.output_values))


def _with_weight(node, graph):
    """The operator's bias is a parameter, unless a node computes it."""
    inputs = list(node.input_values)
    is_gemm = node.operation_type == "Gemm"
    module = _Gemm(node.attributes) if is_gemm else _Conv(node.attributes, node.operation_type == "ConvTranspose")
    if len(inputs) > 2 and inputs[2] in graph.initializers:
        module.bias_name = inputs.pop()
        module.bias = _parameter(graph, module.bias_name)
    return OperationConverterResult(module, OnnxMapping(tuple(inputs), node.output_values))


for _operator in ("Conv", "ConvTranspose", "Gemm"):
    add_converter(_operator, 1, OURS)(_with_weight)


def _constants(model):
    """Weights and biases that are trained, by their names in model.onnx."""
    constants = {}
    for module in model.modules():
        if isinstance(module, FakeQuantize) and module.value is not None:
            constants[module.tensor] = module.value
        elif getattr(module, "bias_name", None):
            constants[module.bias_name] = module.bias
    return constants


def _encodings(folder):
    """The whole file, and its entries by the name of the tensor."""
    file = json.loads((pathlib.Path(folder) / "encodings.json").read_text())
    return file, {entry["name"]: entry for entry in file["encodings"]}


def _accept_newer_versions(source):
    """Operators of versions that onnx2torch lacks get the converter of an older one, where the node has nothing that the older one has not."""
    opset = next(each.version for each in source.opset_import if each.domain == "")
    for node in source.graph.node:
        versions = sorted(known.version for known in _CONVERTER_REGISTRY if known.domain == node.domain == "" and known.operation_type == node.op_type)
        version = onnx.defs.get_schema(node.op_type, opset, node.domain).since_version if versions else 0
        older = [known for known in versions if known < version]
        if version in versions or not older:
            continue
        schema = onnx.defs.get_schema(node.op_type, older[-1])
        if len([name for name in node.input if name]) <= schema.max_input and all(each.name in schema.attributes for each in node.attribute):
            add_converter(node.op_type, version)(get_converter(node.op_type, older[-1], ""))


def _pad_values(graph):
    """Names of the constants that Pad nodes fill with, as they are or rounded. PyTorch wants numbers: they become scalars without gradient."""
    rounds = {node.output[0]: node.input[0] for node in graph.node if node.domain == OURS and node.op_type == "Quant"}
    values = {rounds.get(node.input[2], node.input[2]) for node in graph.node if node.op_type == "Pad" and len(node.input) > 2}
    for initializer in graph.initializer:
        if initializer.name in values and list(initializer.dims) == [1]:
            del initializer.dims[:]
    return values


def load(folder=HERE, learn_scales=True):
    """The model of a folder as a torch.nn.Module in evaluation mode.

    learn_scales: False: scales are fixed, as those of blocks always are. Raises NotImplementedError for operators that onnx2torch lacks.
    """
    source = onnx.load(pathlib.Path(folder) / "qonnx.onnx")
    rounded = {node.output[0] for node in source.graph.node if node.domain == QONNX}
    for node in source.graph.node:
        if node.domain == QONNX or node.op_type in ("Conv", "ConvTranspose", "Gemm") and node.input[1] in rounded:
            node.domain = OURS
    source.opset_import.append(onnx.helper.make_opsetid(OURS, 1))
    _accept_newer_versions(source)
    fixed = _pad_values(source.graph)
    model = convert(source)
    model.requires_grad_(False)
    for name, constant in _constants(model).items():
        constant.requires_grad_(name not in fixed)
    _, entries = _encodings(folder)
    for module in model.modules():
        if isinstance(module, FakeQuantize):
            entry = entries.get(module.tensor, {"block_size": 0})  # a second quantizer of a tensor has none
            module.scale.requires_grad_(learn_scales and module.tensor not in fixed and "block_size" not in entry)
    return model.eval()


def save(model, folder, source=HERE):
    """Writes model.onnx and encodings.json of a trained model. source: the folder that it was loaded from."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    trained = onnx.load(pathlib.Path(source) / "model.onnx")
    constants = _constants(model)
    for initializer in trained.graph.initializer:
        if initializer.name in constants:
            value = constants[initializer.name].detach().cpu().numpy()
            initializer.CopyFrom(onnx.numpy_helper.from_array(value, initializer.name))
    encodings, entries = _encodings(source)
    for module in model.modules():
        if isinstance(module, FakeQuantize) and module.scale.requires_grad:
            scale = module.positive_scale().detach().cpu().flatten().tolist()
            entry = entries[module.tensor]
            entry["y_scale"] = scale if isinstance(entry["y_scale"], list) else scale[0]
    onnx.save(trained, folder / "model.onnx")
    (folder / "encodings.json").write_text(json.dumps(encodings, indent=1))
