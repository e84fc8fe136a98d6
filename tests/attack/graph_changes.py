"""Changes to inputs, outputs, names, sub-graphs, functions, versions and metadata, by chance."""
from hostile_values import NAMES, SIZES, all_graphs, any_name, graph_of, node_of, pick
from onnx import TensorProto, helper


def value_of(rng, model):
    graph = graph_of(rng, model)
    return pick(rng, [*graph.input, *graph.output, *graph.value_info])


def value_type(rng, model):
    value = value_of(rng, model)
    if value is None:
        return
    how = rng.integers(5)
    if how == 0:
        value.type.tensor_type.elem_type = int(pick(rng, [*range(0, 27), -1, 1000]))
    elif how == 1:
        value.ClearField("type")
    elif how == 2:
        inner = type(value.type).FromString(value.type.SerializeToString())
        value.type.sequence_type.elem_type.CopyFrom(inner)
    elif how == 3:
        value.type.optional_type.elem_type.tensor_type.elem_type = 1
    else:
        value.type.tensor_type.ClearField("shape")


def value_shape(rng, model):
    value = value_of(rng, model)
    if value is None or not value.type.HasField("tensor_type"):
        return
    dims = value.type.tensor_type.shape.dim
    if dims and rng.random() < 0.7:
        dim = pick(rng, dims)
        if rng.random() < 0.6:
            dim.dim_value = int(pick(rng, SIZES))
        else:
            dim.dim_param = pick(rng, NAMES)
    else:
        dims.extend([type(dims.add())(dim_value=1) for _ in range(int(pick(rng, [1, 8, 64])))])


def inputs_and_outputs(rng, model):
    graph = graph_of(rng, model)
    values = pick(rng, [graph.input, graph.output])
    how = rng.integers(3)
    if how == 0 and values:
        del values[int(rng.integers(len(values)))]
    elif how == 1 and values:
        values.append(pick(rng, values))
    else:
        values.append(helper.make_tensor_value_info(pick(rng, [any_name(rng, graph), *NAMES]), 1, None))


def name_everywhere(rng, model):
    """A tensor's new name wherever it was named, so that the model may still be a good one."""
    graph = graph_of(rng, model)
    old, new = any_name(rng, graph), pick(rng, NAMES)
    for node in (node for inner in all_graphs(graph) for node in inner.node):
        for names in node.input, node.output:
            for index, name in enumerate(names):
                if name == old:
                    names[index] = new
    for value in (*graph.input, *graph.output, *graph.initializer, *graph.value_info):
        if value.name == old:
            value.name = new


def name_here(rng, model):
    graph = graph_of(rng, model)
    thing = pick(rng, [graph, *graph.node, *graph.initializer, *graph.input, *graph.output, *model.functions])
    thing.name = pick(rng, NAMES)


def same_node_names(rng, model):
    for node in model.graph.node:
        node.name = "same"


def subgraph_depth(rng, model):
    """Branches in branches; the condition may not exist."""
    for level in range(int(pick(rng, [1, 5, 30]))):
        inner = type(model.graph).FromString(model.graph.SerializeToString())
        del inner.input[:]
        outputs = [value.name for value in inner.output]
        if sum(len(node.attribute) for node in inner.node) > 20000 or inner.ByteSize() > 1 << 22:
            return
        node = helper.make_node("If", ["condition"], outputs, then_branch=inner, else_branch=helper.make_graph([], "e", [], []))
        del model.graph.node[:]
        model.graph.node.append(node)
        if level == 0 and rng.random() < 0.7:
            model.graph.initializer.append(helper.make_tensor("condition", TensorProto.BOOL, [], [True]))


def function_changed(rng, model):
    function = pick(rng, model.functions)
    if function is None:
        body = [helper.make_node(pick(rng, ["endless", "Relu"]), ["a"], ["b"], domain=pick(rng, ["", "local"]))]
        model.functions.append(helper.make_function("local", "endless", ["a"], ["b"], body, list(model.opset_import)))
        node = node_of(rng, model)
        if node:
            node.op_type, node.domain = "endless", "local"
        return
    how = rng.integers(5)
    if how == 0:
        model.functions.remove(function)
    elif how == 1:
        model.functions.append(function)
    elif how == 2:
        del pick(rng, [function.input, function.output, function.node, function.opset_import, function.attribute])[:]
    elif how == 3 and function.node:
        node = pick(rng, function.node)
        node.op_type, node.domain = function.name, function.domain
    else:
        function.input.extend(["a", "a"])


def versions(rng, model):
    how = rng.integers(4)
    if how == 0:
        model.ir_version = int(pick(rng, SIZES))
    elif how == 1 and model.opset_import:
        pick(rng, model.opset_import).version = int(pick(rng, [*SIZES, 5, 6, 9, 11, 13, 23, 30]))
    elif how == 2:
        del model.opset_import[:]
    else:
        model.opset_import.add(domain=pick(rng, ["", "ai.onnx", "com.microsoft", *NAMES]), version=int(pick(rng, SIZES)))


def metadata(rng, model):
    for _ in range(int(pick(rng, [1, 3, 2000]))):
        model.metadata_props.add(key=pick(rng, ["preon.version", "preon.method", "same", *NAMES[:3], *NAMES[4:]]), value=pick(rng, NAMES))
    model.producer_name, model.doc_string = pick(rng, NAMES), pick(rng, NAMES)
    for annotation in range(int(rng.integers(3))):
        added = model.graph.quantization_annotation.add(tensor_name=pick(rng, NAMES))
        added.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value=str(annotation))
