"""The rules for layers, written once more: who is stronger, which tensors have codes at all, which type a tensor has and which one
each reader reads. Independent of the product; graphs are those of random_graphs.py."""
import re

BITS = {"Int4": 4, "Int8": 8, "UInt8": 8, "Int16": 16, "UInt16": 16, "Float16": 11, "BFloat16": 8.9, "BFP16": 8.5, "MX9": 8.5}
BLOCKS = ("BFP16", "MX9")
MOVERS = ("Reshape", "Transpose", "MaxPool", "Split")
LINEAR = ("Conv", "ConvTranspose", "Gemm", "MatMul")
WITH_BIAS = ("Conv", "ConvTranspose", "Gemm", "LayerNormalization")


class Rules:
    def __init__(self, config, model):
        self.config = config
        self.nodes = {node.name: node for node in model.graph.node}
        self.constants = {each.name: each for each in model.graph.initializer}
        self.default = config["global_config"]["input_tensors"]["data_type"]
        overrides = config["extra_options"].get("TensorQuantOverrides", {})
        self.overrides = {name: entries[0] for name, entries in overrides.items()}
        self.excluded = {name for selector in config["exclude"] for name in self.selected(selector)}
        self.writers = {output: node for node in self.nodes.values() for output in node.output}
        self.readers = {}
        for node in self.nodes.values():
            for name in dict.fromkeys(node.input):
                self.readers.setdefault(name, []).append(node)
        self.marked, self.markers, self.moved = set(), set(), {}   # tensors with codes; nodes that asked for some; what is moved -> from what
        for node in self.nodes.values():
            if self.quantized(node):
                self.mark(node)

    # --- Which nodes and tensors ---------------------------------------------------------------------------------
    def selected(self, selector):
        if isinstance(selector, list):
            return set(selector[0] + selector[1])
        return {name for name in self.nodes if (re.search(selector, name) if selector.startswith("^") else name == selector)}

    def quantized(self, node):
        return node.name not in self.excluded and node.op_type != "LSTM"

    def floats(self, node):
        return [name for name in node.input if name and name != "ids" and not name.startswith("s")]

    def mark(self, node):
        inputs = [name for name in self.floats(node) if name not in self.constants]
        if node.op_type == "Split":
            self.marked.add(node.input[0])
        moves = node.op_type in MOVERS or node.op_type == "Gather"
        if node.op_type in MOVERS + ("Relu", "LayerNormalization") and node.input[0] not in self.marked:
            return
        self.markers.add(node.name)
        if not moves:
            self.marked.update(inputs)
        self.marked.update(node.output)
        if moves:
            self.moved.update({output: node.input[0] for output in node.output})

    # --- Who is stronger -----------------------------------------------------------------------------------------
    def layer(self, node, role):
        """global < operator type < node; later ones over earlier ones."""
        found = None
        for layer, kinds in self.config["layer_type_config"]:
            found = layer.get(role, found) if node.op_type in kinds else found
        for layer, selectors in self.config["specific_layer_config"]:
            found = layer.get(role, found) if any(node.name in self.selected(each) for each in selectors) else found
        return found if self.quantized(node) else None

    def override(self, tensor):
        kind = self.overrides.get(tensor, {}).get("quant_type")
        return kind and kind[1:]

    # --- Which types ---------------------------------------------------------------------------------------------
    def moves(self, node, tensor):
        return [output for output in node.output if self.moved.get(output) == tensor and output not in self.overrides]

    def stays_behind(self, kind):
        """Blocks that would take the place of something more precise in front of what moves data."""
        return kind in BLOCKS and BITS[self.default] > BITS[kind]

    def wish(self, node, tensor):
        """What a reader wants, and whether anybody asked for it."""
        layer = self.layer(node, "input_tensors")
        if layer:
            return layer["data_type"], True
        behind = [each for each in map(self.decided, self.moves(node, tensor)) if not self.stays_behind(each[0])]
        if any(asked for _, asked in behind):
            return max(behind, key=lambda each: BITS[each[0]])[0], True
        return self.default, False

    def decided(self, tensor):
        """What a tensor has, and whether anybody asked for it."""
        writer = self.writers.get(tensor)
        written = writer is not None and self.layer(writer, "output_tensors")
        wishes = [self.wish(node, tensor) for node in self.readers.get(tensor, []) if self.quantized(node)]
        asked = bool(written) or any(each for _, each in wishes)
        if written:
            return written["data_type"], asked
        best = self.default if not wishes else wishes[0][0]
        for kind, _ in wishes:
            if (BITS[kind], kind == self.default) > (BITS[best], best == self.default):
                best = kind
        return best, asked

    def tensor(self, tensor):
        """The type of the first codes of a tensor."""
        return self.override(tensor) or self.decided(tensor)[0]

    def read(self, node, tensor):
        """The type of the codes from which a quantized reader's values come; None where it is that of what is moved."""
        if not self.decided(tensor)[1] and self.source(tensor) in {**self.constants, **self.overrides}:
            return self.override(tensor)
        return self.override(tensor) or self.wish(node, tensor)[0]

    def source(self, tensor):
        while tensor in self.moved and tensor not in self.overrides:
            tensor = self.moved[tensor]
        return tensor

    def weight(self, node, index):
        """Spec of a constant, its granularity the one that is possible; None for a bias that nobody said anything about."""
        bias = index == 2 and node.op_type in WITH_BIAS
        layer = self.layer(node, "bias" if bias else "weight")
        if bias and layer is None:
            return None
        layer = layer or self.config["global_config"]["weight"]
        return {**layer, "quant_granularity": layer["quant_granularity"] if node.op_type in LINEAR else "Tensor"}
