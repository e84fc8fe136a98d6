"""Golden graphs (testdata/quark/graphs) as calls of preon, and what two quantized graphs have in common."""
import base64
import hashlib
import json
import re
import struct
from fnmatch import fnmatch

import numpy as np
import onnx
from onnx import helper, numpy_helper

QUANTIZERS = {"QuantizeLinear", "ExtendedQuantizeLinear"}
DEQUANTIZERS = {"DequantizeLinear", "ExtendedDequantizeLinear"}
BLOCKS = {"BFPQuantizeDequantize", "MXQuantizeDequantize"}
# ONNX's defaults: an attribute that has its default may as well be absent.
DEFAULTS = {
    "Gemm": {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0}, "Reshape": {"allowzero": 0}, "Softmax": {"axis": -1},
    "Conv": {"group": 1, "auto_pad": "NOTSET"}, "ConvTranspose": {"group": 1, "auto_pad": "NOTSET"}, "ReduceMean": {"keepdims": 1, "noop_with_empty_axes": 0},
    "MaxPool": {"ceil_mode": 0, "storage_order": 0, "auto_pad": "NOTSET"}, "AveragePool": {"ceil_mode": 0, "count_include_pad": 0, "auto_pad": "NOTSET"},
    "LeakyRelu": {"alpha": np.float32(0.01).item()}, "Gather": {"axis": 0}, "Pad": {"mode": "constant"}, "Gelu": {"approximate": "none"},
    "LayerNormalization": {"axis": -1, "epsilon": np.float32(1e-5).item(), "stash_type": 1}, "InstanceNormalization": {"epsilon": np.float32(1e-5).item()},
    "BatchNormalization": {"epsilon": np.float32(1e-5).item(), "momentum": np.float32(0.9).item(), "training_mode": 0}, "Split": {"axis": 0},
    "LpNormalization": {"axis": -1, "p": 2},
}
# How the values of a type lie in a file.
RAW = {"float": "<f4", "int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4", "int64": "<i8", "bfloat16": "<u2", "float16": "<f2", "double": "<f8",
       "bool": "?"}


class Node:
    def __init__(self, op, domain, name, inputs, outputs, attributes):
        self.op, self.domain, self.name, self.inputs, self.outputs = op, domain or "", name, list(inputs), list(outputs)
        self.attributes = attributes


class Stored:
    """A stored graph and a written one alike: nodes, constants (name -> type, dims, values), inputs, outputs."""

    def __init__(self, nodes, constants, inputs, outputs):
        self.nodes, self.constants, self.inputs, self.outputs = nodes, constants, inputs, outputs
        self.producer = {output: node for node in nodes for output in node.outputs}
        self.readers = {}
        for node in nodes:
            for index, tensor in enumerate(node.inputs):
                self.readers.setdefault(tensor, []).append((node, index))


def bfloat16_words(values):
    """The upper halves of float32, ties to even: stored decimals are rounded."""
    words = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype(np.uint16)


def tensor_of(entry):
    dims, kind = entry["d"], entry["t"]
    if "v" in entry:
        values = entry["v"]
        if kind == "float":
            values = np.array([float(v) for v in values], np.float64).astype(np.float32)
        if kind == "bfloat16":
            values = bfloat16_words(np.array([float(v) for v in values], np.float32))
        return kind, tuple(dims), np.array(values).ravel()
    if "b64" in entry:
        raw = base64.b64decode(entry["b64"])
        if kind in ("int4", "uint4"):
            codes = (np.frombuffer(raw, np.uint8) & 15).astype(np.float32)   # one in a byte
            return kind, tuple(dims), codes - 16 * (codes > 7) if kind == "int4" else codes
        return kind, tuple(dims), np.frombuffer(raw, RAW[kind]) if kind in RAW else raw
    return kind, tuple(dims), {"sha1": entry["sha1"]}


def attribute_value(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return np.float32(value).item()
    if isinstance(value, (list, tuple)):
        return tuple(attribute_value(v) for v in value)
    if isinstance(value, onnx.TensorProto):
        array = numpy_helper.to_array(value)
        return (str(array.dtype), array.shape, tuple(np.ravel(array).tolist()))
    if isinstance(value, dict) and "d" in value:
        kind, dims, values = tensor_of(value)
        return (kind.replace("float", "float32") if kind == "float" else kind, dims, tuple(np.ravel(values).tolist()) if not isinstance(values, dict) else str(values))
    if isinstance(value, onnx.GraphProto):
        return sub_graph([[node.op_type, node.domain, "", node.input, node.output, {a.name: helper.get_attribute_value(a) for a in node.attribute}] for node in value.node])
    if isinstance(value, dict):
        return sub_graph(value["nodes"])
    return value


def sub_graph(nodes):
    """Operators of a branch, what they read and write by name, and their attributes."""
    return ("graph", tuple(sorted((node[0], node[1], tuple(node[3]), tuple(node[4]), str(attributes_of(node[0], node[5] if len(node) > 5 else {})))
                                  for node in nodes if node[0] != "Constant")))


def attributes_of(op, stored):
    """Those that say something, as (name, value)."""
    values = {key: attribute_value(value) for key, value in stored.items()}
    return tuple(sorted((k, str(v)) for k, v in values.items()
                        if DEFAULTS.get(op, {}).get(k) != v and not (k in ("strides", "dilations") and set(v) == {1}) and not (k == "pads" and set(v) == {0})))


def from_golden(entry, source):
    """`source`: the constants of the float model as from_model() has them, of which a stored graph names those that are unchanged."""
    nodes = [Node(*node[:5], {k: attribute_value(v) for k, v in (node[5] if len(node) > 5 else {}).items()}) for node in entry["nodes"]]
    return Stored(nodes, {name: source[value["src"]] if "src" in value else tensor_of(value) for name, value in entry["init"].items()},
                  [i[0] for i in entry["inputs"]], [o[0] for o in entry["outputs"]])


def from_model(path):
    model = onnx.load(path)
    nodes = [Node(n.op_type, n.domain, n.name, n.input, n.output,
                  {a.name: attribute_value(helper.get_attribute_value(a)) for a in n.attribute}) for n in model.graph.node]
    constants = {}
    for value in model.graph.initializer:
        kind = onnx.TensorProto.DataType.Name(value.data_type).lower()
        array = numpy_helper.to_array(value)
        if array.dtype.kind in "V" or kind in ("bfloat16", "int4", "uint4") or kind.startswith("float8"):
            array = array.astype(np.float32)
        if kind == "bfloat16":
            array = bfloat16_words(array)
        constants[value.name] = (kind, tuple(value.dims), np.ravel(array))
    return Stored(nodes, constants, [i.name for i in model.graph.input], [o.name for o in model.graph.output])


def strip(name):
    for suffix in ("_clip_output", "_QuantizeLinear_Input"):
        name = name.removesuffix(suffix)
    return name


def base_name(graph, tensor):
    """The float tensor behind pairs, and the quantizers on the way, nearest to the reader first."""
    chain = []
    while True:
        node = graph.producer.get(tensor)
        if node is None or node.op not in DEQUANTIZERS | QUANTIZERS | BLOCKS:
            if node is not None and node.op == "Cast" and node.inputs and graph.producer.get(node.inputs[0]) is not None \
                    and graph.producer[node.inputs[0]].op == "Cast":
                chain.append(("casts", node, graph.producer[node.inputs[0]]))
                tensor = graph.producer[node.inputs[0]].inputs[0]
                continue
            return tensor, chain
        if node.op in BLOCKS:
            chain.append(("block", node, None))
            tensor = node.inputs[0]
        elif node.op in DEQUANTIZERS:
            quantize = graph.producer.get(node.inputs[0])
            if quantize is not None and quantize.op in QUANTIZERS:
                chain.append(("pair", node, quantize))
                tensor = quantize.inputs[0]
            else:
                chain.append(("codes", node, None))
                return node.inputs[0], chain
        else:
            return tensor, chain


def scalars(graph, name):
    kind, dims, values = graph.constants.get(name, ("?", (), np.array([])))
    if isinstance(values, dict):
        return kind, dims, (str(values),)
    return kind, dims, tuple(np.ravel(values).tolist())


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0] if isinstance(value, float) else value


def describe(graph, link):
    """A quantizer without names: form, domain, type, scales, zero points, attributes."""
    form, node, quantize = link
    if form == "block":
        return ("block", node.op, node.domain, tuple(sorted((k, v) for k, v in node.attributes.items())))
    if form == "casts":
        return ("casts", quantize.attributes.get("to"), node.attributes.get("to"))
    scale = scalars(graph, node.inputs[1])
    zero = scalars(graph, node.inputs[2]) if len(node.inputs) > 2 else ("none", (), ())
    axis = node.attributes.get("axis") if len(scale[2]) > 1 else None
    return (form, node.op, node.domain, zero[0], tuple(bits(float(s)) if not isinstance(s, str) else s for s in scale[2]), zero[2], axis,
            node.attributes.get("block_size", 0))


def codes_of(graph, link):
    if link[0] != "codes":
        return None
    kind, dims, values = graph.constants.get(link[1].inputs[0], ("?", (), np.array([])))
    if isinstance(values, dict):
        return (kind, "sha1", values["sha1"])
    if isinstance(values, bytes):
        return (kind, len(values), hashlib.sha1(values).hexdigest())
    return (kind, tuple(np.ravel(values).tolist()))


def as_stored(stored, codes):
    """Our codes as their digest where only that is stored: of large constants."""
    if stored and codes and stored[1] == "sha1":
        return (codes[0], "sha1", hashlib.sha1(np.array(codes[1], RAW[codes[0]]).tobytes()).hexdigest())
    return codes


def facts(graph):
    """(consumer's output, input index) -> (source, quantizers); outputs alike; and the float graph's operators."""
    places, operators = {}, {}
    for node in graph.nodes:
        if node.op in QUANTIZERS | DEQUANTIZERS | BLOCKS or node.op == "Cast":
            continue
        key = (node.op, node.domain, attributes_of(node.op, node.attributes))
        if node.op != "Constant":
            operators[key] = operators.get(key, 0) + 1
        where = strip(node.outputs[0])
        for index, tensor in enumerate(node.inputs):
            if tensor:
                source, chain = base_name(graph, tensor)
                places[(where, index)] = (strip(source), chain)
    for output in graph.outputs:
        source, chain = base_name(graph, output)
        places[(output, "output")] = (strip(source), chain)
    return places, operators


def names_of(chain):
    """Names relative to the tensor's, of the nodes and constants of the nearest quantizer."""
    if not chain:
        return None
    form, node, quantize = chain[0]
    tensor = node.name.removesuffix("_DequantizeLinear")
    relative = ["*" + name.removeprefix(tensor) if name.startswith(tensor) else name for name in [node.name, *node.inputs, *( [quantize.name] if quantize else [])]]
    return tuple(relative)


def nearness_of(want, got):
    """How far scales are apart: "" not at all, "scales by bits" of float32, "scales by halves" = the last bit of a float16, "scales"."""
    if tuple(want[5]) != tuple(got[5]) or len(want[4]) != len(got[4]):
        return "scales"
    a, b = (np.array([word if isinstance(word, int) else 0 for word in words], np.uint32).view(np.float32).astype(np.float64) for words in (want[4], got[4]))
    apart = np.max(np.abs(a - b) / np.maximum(np.abs(a), np.finfo(np.float32).tiny), initial=0)
    return "" if want[4] == got[4] else "scales by bits" if apart <= 1e-5 else "scales by halves" if apart <= 2.0**-10 else "scales"


def codes_apart(want, got):
    """"codes by one" where none is further away, else "codes"."""
    numbers = want and got and want[0] == got[0] and all(isinstance(codes[1], tuple) and len(codes[1]) == len(want[1]) for codes in (want, got))
    return "codes by one" if numbers and np.abs(np.subtract(want[1], got[1])).max() <= 1 else "codes"


def compare(golden, ours, skip=()):
    """Differences as (part, text), parts as in defects.json, or these and how far they are apart."""
    want, got = facts(golden), facts(ours)
    found = []
    if want[1] != got[1]:
        both = want[1].keys() | got[1].keys()
        diff = sorted(f"{k[0]}{dict(k[2]) or ''}: {want[1].get(k, 0)}→{got[1].get(k, 0)}" for k in both if want[1].get(k) != got[1].get(k))
        found.append(("structure", "operators " + "; ".join(diff)))
    for place in sorted(want[0].keys() | got[0].keys(), key=str):
        if place not in want[0] or place not in got[0]:
            found.append(("structure", f"place {place} only {'in golden' if place in want[0] else 'ours'}"))
            continue
        (source, chain), (our_source, our_chain) = want[0][place], got[0][place]
        wanted, have = [describe(golden, link) for link in chain], [describe(ours, link) for link in our_chain]
        if [w[:3] for w in wanted if w[0] != "block"] != [h[:3] for h in have if h[0] != "block"] or len(wanted) != len(have) or \
                [w[:3] for w in wanted if w[0] == "block"] != [h[:3] for h in have if h[0] == "block"]:
            found.append(("structure", f"{place}: {[w[:3] for w in wanted]} → {[h[:3] for h in have]}"))
            continue
        for w, h, link, our_link in zip(wanted, have, chain, our_chain):
            if w[0] == "block":
                if w != h:
                    found.append(("types", f"{place}: {set(w[3]) - set(h[3])} → {set(h[3]) - set(w[3])}"))
                continue
            if w[0] == "casts":
                if w != h:
                    found.append(("types", f"{place}: {w} → {h}"))
                continue
            if w[3] != h[3] or w[6:] != h[6:]:
                found.append(("types", f"{place}: {w[3], w[6:]} → {h[3], h[6:]}"))
                continue
            nearness = nearness_of(w, h)
            if nearness:
                found.append((nearness, f"{place} ({source}): scale {as_floats(w[4])} zero {w[5][:4]} → {as_floats(h[4])} {h[5][:4]}"))
            if nearness == "scales":
                continue
            a = codes_of(golden, link)
            b = as_stored(a, codes_of(ours, our_link))
            if a != b:
                found.append((codes_apart(a, b), f"{place}: {str(a)[:60]} → {str(b)[:60]}"))
            elif names_of(chain) != names_of(our_chain):
                found.append(("names", f"{place}: {names_of(chain)} → {names_of(our_chain)}"))
    return [(part, text) for part, text in found if part.split()[0] not in skip]


def as_floats(words):
    return [struct.unpack("<f", struct.pack("<I", w))[0] if isinstance(w, int) else w for w in words[:3]]


def skipped_parts(defects, model, config):
    parts = set()
    for defect in defects:
        if any(fnmatch(model, p) for p in defect["models"]) and any(fnmatch(config.replace("[", "("), p.replace("[", "(")) for p in defect["configs"]):
            parts.update(defect["parts"])
    return parts


def rows_for(deliberate, model, config, difference):
    """Indices of the rows (configurations, models, what differs, why) that explain a difference."""
    return [index for index, (configs, models, what, _) in enumerate(deliberate)
            if any(fnmatch(config, p) for p in configs.split()) and any(fnmatch(model, p) for p in models.split())
            and re.match(what, f"{difference[0]}: {difference[1]}")]
