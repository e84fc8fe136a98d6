"""Inputs and outputs [N, C, H, W] of known C, H and W become [N, H, W, C], with a Transpose inside."""
import sys

from ..errors import ConfigError
from ._command import model_tool


def to_nhwc(model):
    """Names stay. Raises ConfigError where there is no such input or output."""
    from onnx import helper

    graph = model.graph
    constants = {each.name for each in graph.initializer}
    images = [each for each in [*graph.input, *graph.output] if each.name not in constants and _is_image(each)]
    if not images:
        raise ConfigError(1004, "no input or output of the model has the form [N, C, H, W] with known C, H and W", exit_status=2)
    inputs = {each.name for each in graph.input}
    behind, in_front = [], []
    for value in images:
        name = value.name
        dims = value.type.tensor_type.shape.dim
        _, channels, height, width = (each.dim_value for each in dims)
        for dim, size in zip(list(dims)[1:], (height, width, channels)):
            dim.dim_value = size
        inner = f"{name}_transpose"
        _rename(graph, name, inner, everywhere=name not in inputs)
        if name in inputs:
            in_front.append(helper.make_node("Transpose", [name], [inner], name=inner, perm=[0, 3, 1, 2]))
        else:
            behind.append(helper.make_node("Transpose", [inner], [name], name=inner, perm=[0, 2, 3, 1]))
    nodes = [*in_front, *graph.node, *behind]
    copies = [type(each).FromString(each.SerializeToString()) for each in nodes]
    del graph.node[:]
    graph.node.extend(copies)
    return model


def _is_image(value):
    dims = value.type.tensor_type.shape.dim
    return len(dims) == 4 and all(each.dim_value > 0 for each in list(dims)[1:])


def _rename(graph, before, after, everywhere):
    """What nodes read, those in bodies too, and if it is so written."""
    for node in graph.node:
        node.input[:] = [after if name == before else name for name in node.input]
        if everywhere:
            node.output[:] = [after if name == before else name for name in node.output]
        for attribute in node.attribute:
            for body in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
                _rename(body, before, after, everywhere=False)


main = model_tool(__doc__, ("input", "output"), lambda model, _: to_nhwc(model))

if __name__ == "__main__":
    sys.exit(main())
