"""Types of tensors in an onnx.ModelProto, and what the operators' schemas say of them."""
import onnx
from onnx import TensorProto

#: Operators whose output type an attribute says, and the type without it (0: of the input).
TYPED_BY = {"Cast": ("to", 0), "RandomNormal": ("dtype", TensorProto.FLOAT), "RandomUniform": ("dtype", TensorProto.FLOAT), "RandomNormalLike": ("dtype", 0),
            "RandomUniformLike": ("dtype", 0), "EyeLike": ("dtype", 0), "Bernoulli": ("dtype", 0), "SequenceEmpty": ("dtype", TensorProto.FLOAT),
            "HannWindow": ("output_datatype", TensorProto.FLOAT), "HammingWindow": ("output_datatype", TensorProto.FLOAT),
            "BlackmanWindow": ("output_datatype", TensorProto.FLOAT)}


def subgraphs(node):
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        yield from attribute.graphs


def graphs_of(graph):
    """The graph and all that lie in its nodes."""
    yield graph
    for node in graph.node:
        for inner in subgraphs(node):
            yield from graphs_of(inner)


def tensor_type(data_type):
    return f"tensor({TensorProto.DataType.Name(data_type).lower()})"


def schema_of(node, opsets):
    """The operator's, at the model's opset ({domain: version}); None where ONNX does not know it."""
    try:
        return onnx.defs.get_schema(node.op_type, opsets.get(node.domain, opsets.get("", 1)), "" if node.domain == "ai.onnx" else node.domain)
    except onnx.defs.SchemaError:
        return None


def formal_of(schema, index, is_output):
    """The type parameter or type of an input or output; a variadic one takes all that follow."""
    formals = schema.outputs if is_output else schema.inputs
    return formals[min(index, len(formals) - 1)].type_str if formals else ""


def allowed_by(schema, formal):
    """Types that a type parameter may be; a type is itself."""
    return next((each.allowed_type_strs for each in schema.type_constraints if each.type_param_str == formal), [formal])


def types_in(model, infer):
    """{tensor: "tensor(float)", "seq(tensor(int64))", …} of the model and its sub-graphs, as far as they are known.

    infer  asks ONNX's shape inference first; what it leaves, or all, follows from the operators' schemas
    """
    types = {}
    if infer:
        try:
            model = onnx.shape_inference.infer_shapes(model)
        except (ValueError, onnx.shape_inference.InferenceError):
            pass   # above 2 GB, or foreign operators: schemas are enough
    opsets = {each.domain: each.version for each in model.opset_import}
    _add_types(model.graph, opsets, types)
    return types


def _add_types(graph, opsets, types):
    for each in graph.initializer:
        types[each.name] = tensor_type(each.data_type)
    for each in (*graph.input, *graph.value_info, *graph.output):
        kind = _text(each.type)
        if kind:
            types[each.name] = kind
    for node in graph.node:
        for inner in subgraphs(node):
            _add_types(inner, opsets, types)
        for index, name in enumerate(node.output):
            if name and name not in types:
                kind = _output_type(node, index, opsets, types)
                if kind:
                    types[name] = kind


def _text(proto):
    which = proto.WhichOneof("value")
    if which == "tensor_type" and proto.tensor_type.elem_type:
        return tensor_type(proto.tensor_type.elem_type)
    if which in ("sequence_type", "optional_type"):
        inner = _text(getattr(proto, which).elem_type)
        return f"{'seq' if which == 'sequence_type' else 'optional'}({inner})" if inner else ""
    return ""


def _output_type(node, index, opsets, types):
    attributes = {each.name: each for each in node.attribute}
    inputs = [types.get(name, "") for name in node.input]
    if node.op_type in TYPED_BY and node.domain in ("", "ai.onnx"):
        name, otherwise = TYPED_BY[node.op_type]
        said = attributes[name].i if name in attributes else otherwise
        return tensor_type(said) if said else inputs[0]
    if node.op_type == "ConstantOfShape":
        return tensor_type(attributes["value"].t.data_type if "value" in attributes else TensorProto.FLOAT)
    if node.op_type in ("If", "Loop", "Scan"):
        body = next(subgraphs(node))
        at = index + (node.op_type == "Loop")
        return types.get(body.output[at].name, "") if at < len(body.output) else ""
    schema = schema_of(node, opsets)
    if schema is None:   # most take one type; quantizers give that of their zero point, dequantizers that of the scale
        like = 1 if node.op_type.endswith("DequantizeLinear") else 2 if node.op_type.endswith("QuantizeLinear") else 0
        return inputs[like] if like < len(inputs) else ""
    formal = formal_of(schema, index, True)
    for at, kind in enumerate(inputs):
        if kind and formal_of(schema, at, False) == formal:
            return kind
    allowed = allowed_by(schema, formal)
    return allowed[0] if len(allowed) == 1 else ""
