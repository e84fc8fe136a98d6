"""Changes to nodes, by chance: operators, attributes, edges, order."""
from hostile_values import ATTRIBUTES, FLOATS, NAMES, OPERATORS, SIZES, all_graphs, any_name, graph_of, hostile_attribute, node_of, pick
from onnx import AttributeProto, helper


def other_operator(rng, model):
    node = node_of(rng, model)
    if node:
        node.op_type = pick(rng, OPERATORS)


def other_domain(rng, model):
    node = node_of(rng, model)
    if node:
        node.domain = pick(rng, ["", "ai.onnx", "com.microsoft", "local", "nobody", "com.amd.quark", "preon", *NAMES])


def attribute_removed(rng, model):
    node = node_of(rng, model)
    if node and node.attribute:
        del node.attribute[int(rng.integers(len(node.attribute)))]


def attribute_replaced(rng, model):
    node = pick(rng, [node for graph in all_graphs(model.graph) for node in graph.node if node.attribute])
    if node:
        attribute = pick(rng, node.attribute)
        attribute.CopyFrom(hostile_attribute(rng, attribute.name))


def attribute_number(rng, model):
    """Of the right type: only the number is another one."""
    nodes = [node for graph in all_graphs(model.graph) for node in graph.node]
    numbers = [attribute for node in nodes for attribute in node.attribute if attribute.type in (1, 2, 7)]
    attribute = pick(rng, numbers)
    if attribute and attribute.type == AttributeProto.INT:
        attribute.i = int(pick(rng, SIZES))
    elif attribute and attribute.type == AttributeProto.FLOAT:
        attribute.f = float(pick(rng, FLOATS))
    elif attribute and attribute.ints:
        attribute.ints[int(rng.integers(len(attribute.ints)))] = int(pick(rng, SIZES))


def attribute_added(rng, model):
    node = node_of(rng, model)
    if node:
        node.attribute.append(hostile_attribute(rng, pick(rng, ATTRIBUTES + NAMES)))


def edge_replaced(rng, model):
    """By any name: a cycle, nothing, itself."""
    graph = graph_of(rng, model)
    node = pick(rng, graph.node)
    if node and node.input:
        node.input[int(rng.integers(len(node.input)))] = pick(rng, [any_name(rng, graph), "", "nothing writes this", *node.output])


def inputs_removed_or_added(rng, model):
    graph = graph_of(rng, model)
    node = pick(rng, graph.node)
    if node and rng.random() < 0.5:
        del node.input[int(rng.integers(len(node.input) + 1)):]
    elif node:
        node.input.extend([any_name(rng, graph)] * int(pick(rng, [1, 2, 500])))


def outputs_changed(rng, model):
    graph = graph_of(rng, model)
    node = pick(rng, graph.node)
    if node and node.output:
        how = rng.integers(3)
        if how == 0:
            node.output[0] = any_name(rng, graph)  # written twice
        elif how == 1:
            del node.output[:]
        else:
            node.output.extend([f"more{index}" for index in range(int(pick(rng, [1, 300])))])


def nodes_moved(rng, model):
    graph = graph_of(rng, model)
    nodes = list(graph.node)
    how = rng.integers(4)
    if how == 0:
        nodes.reverse()
    elif how == 1 and nodes:
        nodes.append(pick(rng, nodes))
    elif how == 2 and nodes:
        nodes.remove(pick(rng, nodes))
    elif nodes:
        nodes = []
    kept = [type(node).FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(kept)


def long_chain(rng, model):
    """Thousands of nodes behind the first one, and nobody reads what comes out."""
    graph = model.graph
    last = next((name for node in graph.node for name in node.output), "x")
    for index in range(int(pick(rng, [300, 3000]))):
        graph.node.append(helper.make_node(pick(rng, ["Relu", "Identity", "Neg"]), [last], [f"chain{index}"]))
        last = f"chain{index}"
