"""Q/DQ pairs in an onnx.ModelProto, of the standard, com.microsoft or the operator library."""
import numpy as np
from onnx import numpy_helper

QUANTIZERS = ("QuantizeLinear", "ExtendedQuantizeLinear", "VitisQuantizeLinear")
DEQUANTIZERS = ("DequantizeLinear", "ExtendedDequantizeLinear", "VitisDequantizeLinear")


class Pairs:
    """A graph with its constants, producers and readers; edits keep them right until `finish()`."""

    def __init__(self, model):
        self.graph = model.graph
        self.constants = {each.name: each for each in self.graph.initializer}
        self.outputs = {each.name for each in self.graph.output}
        self.producers = {output: node for node in self.graph.node for output in node.output}
        self.gone = set()

    def readers(self, tensor):
        """[(node, input index)] of what is still there."""
        return [(node, index) for node in self.graph.node if id(node) not in self.gone
                for index, name in enumerate(node.input) if name == tensor]

    def array(self, name):
        return numpy_helper.to_array(self.constants[name])

    def of_activations(self):
        """[(Q, [its DQs])] whose Q reads no constant."""
        found = []
        for node in self.graph.node:
            if id(node) not in self.gone and node.op_type in QUANTIZERS and node.input[0] not in self.constants:
                dequantizers = [reader for reader, _ in self.readers(node.output[0])]
                if dequantizers and all(each.op_type in DEQUANTIZERS for each in dequantizers):
                    found.append((node, dequantizers))
        return found

    def remove(self, dequantize):
        """Who reads the pair's result reads what went in; the Q goes with its last DQ."""
        quantize = self.producers[dequantize.input[0]]
        source, result = quantize.input[0], dequantize.output[0]
        self.gone.add(id(dequantize))
        if not self.readers(quantize.output[0]):
            self.gone.add(id(quantize))
        if result in self.outputs:   # its name survives on the producer's side
            producer = self.producers.get(source)
            if producer is None:
                dequantize.op_type, dequantize.domain = "Identity", ""
                del dequantize.input[:], dequantize.attribute[:]
                dequantize.input.append(source)
                self.gone.discard(id(dequantize))
                return
            producer.output[list(producer.output).index(source)] = result
            self.producers[result] = producer
            source, result = result, source
        for node, index in self.readers(result):
            node.input[index] = source

    def set_constant(self, name, values):
        """Adds or replaces."""
        tensor = numpy_helper.from_array(np.asarray(values), name)
        if name in self.constants:
            self.constants[name].CopyFrom(tensor)
        else:
            self.graph.initializer.append(tensor)
            self.constants[name] = self.graph.initializer[-1]

    def finish(self):
        """Drops removed nodes and constants that are not read any more."""
        kept = [node for node in self.graph.node if id(node) not in self.gone]
        read = {name for node in kept for name in _names_read(node)} | self.outputs
        for field, values in ((self.graph.node, kept), (self.graph.initializer, [t for t in self.graph.initializer if t.name in read])):
            copies = [type(each).FromString(each.SerializeToString()) for each in values]
            del field[:]
            field.extend(copies)


def _names_read(node):
    yield from node.input
    for attribute in node.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            for inner in graph.node:
                yield from _names_read(inner)


def dequantized(pairs, node):
    """The floats that a DequantizeLinear makes of a constant."""
    codes, scale = pairs.array(node.input[0]), pairs.array(node.input[1]).astype(np.float64)
    zero = pairs.array(node.input[2]) if len(node.input) > 2 and node.input[2] else np.zeros_like(scale)
    settings = {each.name: each.i for each in node.attribute}
    axis, block = settings.get("axis", 1), settings.get("block_size", 0)

    def spread(values):
        if block:
            return np.repeat(values, block, axis).take(range(codes.shape[axis]), axis)
        if values.size == 1:
            return values.reshape(())
        shape = [1] * codes.ndim
        shape[axis] = values.size
        return values.reshape(shape)

    values = (codes.astype(np.float64) - spread(zero.astype(np.float64))) * spread(scale)
    return values.astype(pairs.array(node.input[1]).dtype)
