"""A float model in a 16-bit floating type: operators that have it by the standard compute in it, Casts stand around the others."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from ..errors import ConfigError
from ._command import warn
from ._types import TYPED_BY, allowed_by, formal_of, graphs_of, schema_of, tensor_type, types_in

#: What counts steps or holds codes: 16-bit floats have too few digits for it.
_STAY = {"CumSum", "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"}
#: Where a constant that is cut to the type's range would change all results; elsewhere it is a bound or hides something.
_FACTORS = {"BatchNormalization", "Conv", "ConvTranspose", "Div", "Gemm", "GroupNormalization", "InstanceNormalization", "LayerNormalization", "MatMul", "Mul", "Pow"}
_HIDES = 1e9   # such a factor, as of attention masks, may be any large number
_LARGEST = {TensorProto.FLOAT16: 65504.0, TensorProto.BFLOAT16: float.fromhex("0x1.FEp127")}
_SMALLEST = {TensorProto.FLOAT16: 2.0 ** -24, TensorProto.BFLOAT16: 2.0 ** -133}


def narrow(model, source, target, keep_io, infer=True):
    """Changes the onnx.ModelProto in place and returns it.

    source   the type that goes: TensorProto.FLOAT or FLOAT16
    target   TensorProto.FLOAT16 or BFLOAT16
    keep_io  inputs and outputs keep their type, with Casts inside
    infer    types of inner tensors by ONNX's shape inference; else by value_info and the operators' schemas alone

    Constants are rounded to nearest, ties to even. Factors and divisors that exceed the type's range keep their type, between Casts; other
    constants there become its largest value, with a warning. What is not 0 stays so, as the smallest value: a divisor's epsilon. Raises ConfigError where nothing has the type `source`, or a constant is sparse.
    """
    if any(graph.sparse_initializer for graph in graphs_of(model.graph)):
        raise ConfigError(1004, "the model has sparse constants: this tool converts dense ones only", exit_status=2)
    return _Narrowing(model, source, target, infer).run(keep_io)


def to_tensor(values, target, name):
    """(TensorProto of the values in the 16-bit type, whether some exceeded its range)."""
    values = np.asarray(values).astype(np.float32)
    bounded = np.where(np.isfinite(values), np.clip(values, -_LARGEST[target], _LARGEST[target]), values)
    vanishing = (values != 0) & (np.abs(values) <= _SMALLEST[target] / 2)
    kept = np.where(vanishing, np.copysign(_SMALLEST[target], values), bounded).astype(np.float32)
    exceeds = bool(np.any(bounded != values, where=~np.isnan(values)))
    if target == TensorProto.FLOAT16:
        return numpy_helper.from_array(kept.astype(np.float16), name), exceeds
    bits = kept.view(np.uint32)
    codes = np.where(np.isnan(kept), 0x7FC0, (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")
    return helper.make_tensor(name, target, kept.shape, codes.tobytes(), raw=True), exceeds


def _is_wide(values, target):
    magnitudes = np.abs(values.astype(np.float32))
    return bool(np.any((magnitudes > _LARGEST[target]) & (magnitudes < _HIDES)))


class _Narrowing:
    def __init__(self, model, source, target, infer):
        self.model, self.source, self.target = model, source, target
        self.before, self.after = tensor_type(source), tensor_type(target)
        self.word = {each: TensorProto.DataType.Name(each).lower().replace("float", "float32" if each == TensorProto.FLOAT else "float") for each in (source, target)}
        self.opsets = {each.domain: each.version for each in model.opset_import}
        for graph in graphs_of(model.graph):
            self._constants_as_initializers(graph)
        self.types = types_in(model, infer)
        self.taken = set(self.types) | {name for graph in graphs_of(model.graph) for node in graph.node for name in (*node.input, *node.output)}
        self.constants = {each.name: each for graph in graphs_of(model.graph) for each in graph.initializer}
        self.beyond = {name for name, each in self.constants.items() if each.data_type == source and _is_wide(numpy_helper.to_array(each), target)}
        self.renamed = {}      # tensors that an input or output of the model keeps its name from
        self.float_names = {}  # constants that are read in both types: the other one's name

    def run(self, keep_io):
        graph = self.model.graph
        if not any(self.before in kind for kind in self.types.values()):
            raise ConfigError(1004, f"the model has no tensor in {self.word[self.source]}", exit_status=2)
        if keep_io:
            front, back = self._casts_at_borders()
        self._convert_constants()
        for each in reversed(list(graphs_of(graph))):   # inner ones first: a rewritten graph has copies of its nodes
            self._rewrite(each)
        if keep_io:
            nodes = [*front, *graph.node, *back]
            del graph.node[:]
            graph.node.extend(nodes)
            self._declare(each for each in graph.input if each.name in self.constants)   # below IR 4 constants are inputs
        else:
            self._declare((*graph.input, *graph.output))
        return self.model

    def _is_source(self, name):
        return self.before in self.types.get(name, "")

    def _fresh(self, wanted):
        name, number = wanted, 1
        while name in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name)
        return name

    def _constants_as_initializers(self, graph):
        """Float values of Constant nodes: so there is one kind of constant."""
        for node in [each for each in graph.node if each.op_type == "Constant" and each.domain in ("", "ai.onnx")]:
            given = node.attribute[0]
            if given.name == "value" and given.t.data_type == self.source:
                values = numpy_helper.to_array(given.t)
            elif given.name in ("value_float", "value_floats") and self.source == TensorProto.FLOAT:
                values = np.array(given.f if given.name == "value_float" else given.floats, np.float32)
            else:
                continue
            graph.initializer.append(numpy_helper.from_array(values, node.output[0]))
            graph.node.remove(node)
            self.model.ir_version = max(self.model.ir_version, 4)   # below, constants are inputs

    def _narrows(self, node, index, is_output):
        """Does the node take the tensor there in the 16-bit type? True for tensors of other types."""
        name = (node.output if is_output else node.input)[index]
        if not self._is_source(name):
            return True
        schema = None if node.op_type in _STAY else schema_of(node, self.opsets)
        if schema is None:
            return False
        formal = formal_of(schema, index, is_output)
        bound = [other for names, output in ((node.input, False), (node.output, True)) for at, other in enumerate(names)
                 if formal_of(schema, at, output) == formal and self._is_source(other)]
        if node.op_type in _FACTORS and not self.beyond.isdisjoint(bound):
            return False
        return all(self.types[other].replace(self.before, self.after) in allowed_by(schema, formal) for other in bound)

    def _casts_at_borders(self):
        """Inputs and outputs keep their type; inside, other names stand for them."""
        graph, front, back = self.model.graph, [], []
        written = {name for node in graph.node for name in node.output}
        for name in dict.fromkeys(each.name for each in graph.input if self._is_source(each.name) and each.name not in self.constants):
            self._rename(name, f"{name}_cast")
            front.append(_cast(name, self.renamed[name], self.target))
        for name in dict.fromkeys(each.name for each in graph.output if self._is_source(each.name) and (each.name in written or each.name in self.constants)):
            self._rename(name, f"{name}_{self.word[self.target]}")
            back.append(_cast(self.renamed[name], name, self.source))
            if name in self.constants:
                self.constants[self.renamed[name]] = self.constants.pop(name)
                self.constants[self.renamed[name]].name = self.renamed[name]
        return front, back

    def _rename(self, name, wanted):
        self.renamed[name] = self._fresh(wanted)
        self.types[self.renamed[name]] = self.types[name]
        for graph in graphs_of(self.model.graph):
            for node in graph.node:
                for names in (node.input, node.output):
                    for index, each in enumerate(names):
                        if each == name:
                            names[index] = self.renamed[name]
            if graph is not self.model.graph:
                for each in graph.output:
                    each.name = self.renamed.get(each.name, each.name)

    def _convert_constants(self):
        readers = {name: set() for name in self.constants}   # whether they read the 16-bit type
        for graph in graphs_of(self.model.graph):
            for node in graph.node:
                for index, name in enumerate(node.input):
                    if name in readers:
                        readers[name].add(self._narrows(node, index, False))
            for each in graph.output:
                if each.name in readers:
                    readers[each.name].add(True)
        for name in self.renamed.values():
            if name in readers:
                readers[name].add(True)
        exceeding = []
        for graph in graphs_of(self.model.graph):
            for each in list(graph.initializer):
                if each.data_type != self.source:
                    continue
                if readers[each.name] == {False}:
                    self.float_names[each.name] = each.name
                    continue
                if False in readers[each.name]:
                    self.float_names[each.name] = self._fresh(f"{each.name}_{self.word[self.source]}")
                    graph.initializer.add().CopyFrom(each)
                    graph.initializer[-1].name = self.float_names[each.name]
                tensor, exceeds = to_tensor(numpy_helper.to_array(each), self.target, each.name)
                exceeding += [each.name] * exceeds
                each.CopyFrom(tensor)
        if exceeding:
            more = f" and {len(exceeding) - 5} more" if len(exceeding) > 5 else ""
            warn(f"values beyond ±{_LARGEST[self.target]:.6g}, the range of {self.word[self.target]}, became its largest in {', '.join(exceeding[:5])}{more}")

    def _declare(self, values):
        """They have the 16-bit type from now on, but for constants that are never read in it."""
        for each in values:
            if self.float_names.get(each.name) != each.name:
                _retype(each.type, self.source, self.target)

    def _rewrite(self, graph):
        """Casts where a node does not take the type; attributes that say it say the other one."""
        nodes, casts = [], {}
        for node in graph.node:
            behind = []
            stays = [index for index in range(len(node.input)) if not self._narrows(node, index, False)]
            outputs = [index for index in range(len(node.output)) if not self._narrows(node, index, True)]
            for index in stays:
                name = node.input[index]
                if name not in self.float_names and name not in casts:
                    casts[name] = self._fresh(f"{name}_{self.word[self.source]}")
                    nodes.append(_cast(name, casts[name], self.source))
                node.input[index] = self.float_names.get(name) or casts[name]
            for index in outputs:
                name = node.output[index]
                node.output[index] = self._fresh(f"{name}_{self.word[self.source]}")
                behind.append(_cast(node.output[index], name, self.target))
            if not outputs:
                self._set_type(node)
            nodes += [node, *behind]
        copies = [type(each).FromString(each.SerializeToString()) if each.ByteSize() else each for each in nodes]
        del graph.node[:]
        graph.node.extend(copies)
        self._declare(graph.value_info)
        if graph is not self.model.graph:
            self._declare((*graph.input, *graph.output))

    def _set_type(self, node):
        if not any(self._is_source(name) for name in node.output) or node.domain not in ("", "ai.onnx"):
            return
        attributes = {each.name: each for each in node.attribute}
        name, otherwise = TYPED_BY.get(node.op_type, ("", 0))
        if name and (attributes[name].i if name in attributes else otherwise) == self.source:
            if name not in attributes:
                attributes[name] = node.attribute.add()
            attributes[name].CopyFrom(helper.make_attribute(name, int(self.target)))
        if node.op_type == "ConstantOfShape":
            value = numpy_helper.to_array(attributes["value"].t) if "value" in attributes else np.zeros(1, np.float32)
            del node.attribute[:]
            node.attribute.append(helper.make_attribute("value", to_tensor(value, self.target, "")[0]))


def _cast(source, target, kind):
    return helper.make_node("Cast", [source], [target], name=f"{target}_Cast", to=int(kind))


def _retype(proto, source, target):
    which = proto.WhichOneof("value")
    if which == "tensor_type" and proto.tensor_type.elem_type == source:
        proto.tensor_type.elem_type = target
    elif which in ("sequence_type", "optional_type"):
        _retype(getattr(proto, which).elem_type, source, target)
