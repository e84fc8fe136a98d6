"""Random graphs of the operators that layers can be about, and random configurations for them."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS, SIDE = 4, 4
IMAGE = [1, CHANNELS, SIDE, SIDE]
PIXELS = CHANNELS * SIDE
ACTIVATIONS = ["Int8", "UInt8", "Int16", "UInt16", "Float16", "BFloat16", "BFP16", "MX9"]
WEIGHTS = ["Int8", "Int16", "Int4", "Float16", "BFloat16", "BFP16", "MXFP8E4M3"]
OVERRIDES = ["QUInt8", "QInt16", "QUInt16", "QBFloat16"]


class GraphBuilder:
    """A chain with branches; all images have one shape, and what needs another is wrapped in operators that move data."""

    def __init__(self, dice):
        self.dice, self.rng = dice, np.random.default_rng(dice.randrange(1 << 30))
        self.nodes, self.constants, self.images = [], [], ["x"]

    def constant(self, shape):
        name = f"w{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(self.rng.normal(size=shape).astype(np.float32) * 0.5, name))
        return name

    def numbers(self, values):
        name = f"s{len(self.nodes)}_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def add(self, kind, inputs, outputs=1, **attributes):
        index = len(self.nodes)
        names = [f"t{index}"] if outputs == 1 else [f"t{index}_{output}" for output in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"n{index}", **attributes))
        return names[0] if outputs == 1 else names

    def reshaped(self, tensor, shape):
        return self.add("Reshape", [tensor, self.numbers(shape)])

    def image(self):
        return self.dice.choice(self.images[-3:])

    def conv(self, kind="Conv"):
        shared = [node for node in self.nodes if node.op_type == kind]
        if shared and self.dice.random() < 0.3:
            inputs = [self.image(), *self.dice.choice(shared).input[1:]]
        else:
            inputs = [self.image(), self.constant([CHANNELS, CHANNELS, 1, 1])]
            if self.dice.random() < 0.6:
                inputs.append(self.constant([CHANNELS]))
        return self.add(kind, inputs)

    def product(self):
        rows = self.reshaped(self.image(), [CHANNELS, PIXELS])
        weight = self.constant([PIXELS, PIXELS])
        if self.dice.random() < 0.5:
            return self.reshaped(self.add("MatMul", [rows, weight]), IMAGE)
        bias = [self.constant([PIXELS])] if self.dice.random() < 0.6 else []
        return self.reshaped(self.add("Gemm", [rows, weight, *bias], transB=self.dice.randint(0, 1)), IMAGE)

    def relu(self):   # one behind another would become one
        clamped = {output for node in self.nodes if node.op_type == "Relu" for output in node.output}
        image = self.image()
        return self.add("Sigmoid" if image in clamped else "Relu", [image])

    def split(self):
        halves = self.add("Split", [self.image(), self.numbers([CHANNELS // 2] * 2)], outputs=2, axis=1)
        return self.add("Concat", [halves[0], self.add("Sigmoid", [halves[1]])], axis=1)

    def recurrent(self):
        steps = self.reshaped(self.image(), [CHANNELS, 1, PIXELS])
        state = self.constant([1, 1, PIXELS])
        gates = [self.constant([1, 4 * PIXELS, PIXELS]), self.constant([1, 4 * PIXELS, PIXELS]), self.constant([1, 8 * PIXELS])]
        return self.reshaped(self.add("LSTM", [steps, *gates, "", state, state], hidden_size=PIXELS), IMAGE)

    def step(self):
        makers = {"conv": 4, "transposed": 1, "add": 2, "constant": 1, "sigmoid": 1, "relu": 2, "pool": 1, "turn": 1, "product": 2, "split": 1,
                  "table": 1, "norm": 1, "recurrent": 0.4}
        kind = self.dice.choices(list(makers), makers.values())[0]
        made = {"conv": self.conv, "transposed": lambda: self.conv("ConvTranspose"), "product": self.product, "split": self.split,
                "recurrent": self.recurrent,
                "add": lambda: self.add(self.dice.choice(["Add", "Mul"]), [self.image(), self.image()]),
                "constant": lambda: self.add(self.dice.choice(["Add", "Mul"]), [self.image(), self.constant([1, CHANNELS, 1, 1])]),
                "sigmoid": lambda: self.add("Sigmoid", [self.image()]), "relu": self.relu,
                "pool": lambda: self.add("MaxPool", [self.image()], kernel_shape=[3, 3], pads=[1] * 4),
                "turn": lambda: self.add("Transpose", [self.image()], perm=[0, 1, 3, 2]),
                "table": lambda: self.reshaped(self.add("Gather", [self.constant([8, CHANNELS * PIXELS]), "ids"]), IMAGE),
                "norm": lambda: self.add("LayerNormalization", [self.image(), self.constant([SIDE]), self.constant([SIDE])])}[kind]()
        self.images.append(made)

    def model(self):
        for _ in range(self.dice.randint(3, 9)):
            self.step()
        read = {name for node in self.nodes for name in node.input}
        outputs = [name for node in self.nodes for name in node.output if name not in read and (name in self.images)]
        inputs = [helper.make_tensor_value_info(name, *kind) for name, kind in (("x", (TensorProto.FLOAT, IMAGE)), ("ids", (TensorProto.INT64, [1])))
                  if name in read]
        graph = helper.make_graph(self.nodes, "random", inputs, [helper.make_tensor_value_info(name, TensorProto.FLOAT, IMAGE) for name in outputs],
                                  self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        onnx.checker.check_model(model)
        return model


def spec(data_type, granularity="Tensor", scale_type="Float32", method="MinMax"):
    return {"symmetric": not data_type.startswith("U"), "scale_type": scale_type, "calibration_method": method, "quant_granularity": granularity,
            "data_type": data_type}


def random_spec(dice, role):
    scale = "PowerOf2" if dice.random() < 0.15 else "Float32"
    if role in ("weight", "bias"):
        kind = dice.choice(WEIGHTS if role == "weight" else ["Int8", "Int16", "BFloat16"])
        granularity = dice.choice(["Tensor", "Channel", "Group"] if role == "weight" and kind.startswith("Int") else ["Tensor", "Channel"])
        return spec(kind, granularity, scale, dice.choice(["MinMax", "MinMSE"]) if kind == "Int8" else "MinMax")
    return spec(dice.choice(ACTIVATIONS), "Tensor", scale, dice.choice(["MinMax", "Percentile"]))


def random_layer(dice):
    roles = [role for role, share in (("input_tensors", 0.5), ("weight", 0.6), ("bias", 0.3), ("output_tensors", 0.4)) if dice.random() < share]
    return {role: random_spec(dice, role) for role in roles}


def random_selector(dice, model):
    """A name, a pattern, or a chain of two nodes."""
    names = [node.name for node in model.graph.node]
    draw = dice.random()
    if draw < 0.6:
        return dice.choice(names)
    if draw < 0.8:
        return f"^{dice.choice(names)[:2]}.*"
    writers = {output: node.name for node in model.graph.node for output in node.output}
    constants = {each.name for each in model.graph.initializer}
    chains = [(writers[node.input[0]], node.name) for node in model.graph.node
              if node.input[0] in writers and all(name in constants or name == node.input[0] for name in node.input)]
    start, end = dice.choice(chains) if chains else (names[0], names[0])
    return [[start], [end]]


def random_override(dice):
    kind = dice.choice(["type", "range", "scale"])
    if kind == "type":
        return {"quant_type": dice.choice(OVERRIDES)}
    if kind == "range":
        return {"quant_type": "QUInt8", "rmin": -1.5, "rmax": 2.5, "symmetric": False}
    return {"quant_type": dice.choice(["QUInt8", "QInt16"]), "scale": 0.125, "zero_point": 3}


def random_configuration(dice, model):
    kinds = sorted({node.op_type for node in model.graph.node})
    config = {"global_config": {"input_tensors": spec(dice.choice(["UInt8", "Int8", "Int16"])),
                                "weight": spec("Int8", dice.choice(["Tensor", "Channel", "Group"]))},
              "layer_type_config": [[random_layer(dice), [dice.choice(kinds)]] for _ in range(dice.randint(0, 2))],
              "specific_layer_config": [[random_layer(dice), [random_selector(dice, model) for _ in range(dice.randint(1, 2))]]
                                        for _ in range(dice.randint(0, 3))],
              "exclude": [random_selector(dice, model) for _ in range(dice.choice([0, 0, 1]))], "extra_options": {},
              "preon_options": {"disable_pass": ["fold_affine", "convert_split"]}}   # nodes keep what they do
    granularities = [layer[role]["quant_granularity"] for layer in [config["global_config"]] +
                     [layer for layer, _ in config["layer_type_config"] + config["specific_layer_config"]] for role in layer]
    if "Group" in granularities:
        config["extra_options"]["WeightBlockSize"] = 2
    if dice.random() < 0.5:
        tensor = dice.choice([name for node in model.graph.node for name in node.output])
        config["extra_options"]["TensorQuantOverrides"] = {tensor: [random_override(dice)]}
    return config
