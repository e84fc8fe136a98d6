"""Random graphs with random configurations of layers, operator types, single tensors and exclusions: who is stronger counts, no
tensor has two quantizers, and every reader gets the type it wants."""
import json
import random

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

TYPES = {"UInt8": TensorProto.UINT8, "Int8": TensorProto.INT8, "UInt16": TensorProto.UINT16, "Int16": TensorProto.INT16}
CHANNELS = 4


def random_graph(dice):
    """A chain of operators with branches; every tensor is [1, CHANNELS, 4, 4]."""
    tensors, nodes, weights = ["x"], [], []
    for index in range(dice.randint(3, 8)):
        kind, output = dice.choice(["Conv", "Add", "Mul", "Sigmoid"]), f"t{index}"
        if kind == "Conv":
            values = np.random.default_rng(index).normal(size=(CHANNELS, CHANNELS, 1, 1)).astype(np.float32)
            weights.append(numpy_helper.from_array(values, f"w{index}"))
            inputs = [dice.choice(tensors[-2:]), f"w{index}"]
        else:
            inputs = [dice.choice(tensors[-3:]) for _ in range(1 if kind == "Sigmoid" else 2)]
        nodes.append(helper.make_node(kind, inputs, [output], name=f"n{index}"))
        tensors.append(output)
    read = {name for node in nodes for name in node.input}
    shape = [1, CHANNELS, 4, 4]
    graph = helper.make_graph(nodes, "random", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in tensors if name not in read], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def spec(data_type):
    return {"symmetric": not data_type.startswith("U"), "scale_type": "Float32", "calibration_method": "MinMax", "quant_granularity": "Tensor",
            "data_type": data_type}


def random_layer(dice):
    roles = [role for role in ("input_tensors", "weight", "output_tensors") if dice.random() < 0.6]
    return {role: spec(dice.choice(["Int8", "Int16"] if role == "weight" else list(TYPES))) for role in roles}


def random_configuration(dice, model):
    names = [node.name for node in model.graph.node]
    kinds = sorted({node.op_type for node in model.graph.node})
    config = {"global_config": {"input_tensors": spec("UInt8"), "weight": spec("Int8")},
              "layer_type_config": [[random_layer(dice), [dice.choice(kinds)]] for _ in range(dice.randint(0, 2))],
              "specific_layer_config": [[random_layer(dice), dice.sample(names, dice.randint(1, 2))] for _ in range(dice.randint(0, 3))],
              "exclude": dice.sample(names, dice.randint(0, 1)), "extra_options": {}}
    if dice.random() < 0.5:
        tensor = dice.choice([node.output[0] for node in model.graph.node])
        config["extra_options"]["TensorQuantOverrides"] = {tensor: [{"quant_type": dice.choice(["QUInt8", "QInt16", "QUInt16"])}]}
    return config


class Wanted:
    """The rules of the specification, written once more: global < operator type < node < tensor."""

    def __init__(self, config, model):
        self.config, self.model = config, model
        overrides = config["extra_options"].get("TensorQuantOverrides", {})
        self.tensors = {name: entries[0]["quant_type"][1:] for name, entries in overrides.items()}

    def role(self, node, role):
        found = None
        for layer, kinds in self.config["layer_type_config"]:
            found = layer.get(role, {}).get("data_type", found) if node.op_type in kinds else found
        for layer, names in self.config["specific_layer_config"]:
            found = layer.get(role, {}).get("data_type", found) if node.name in names else found
        return found

    def input(self, node, tensor):
        return self.tensors.get(tensor) or self.role(node, "input_tensors") or "UInt8"

    def weight(self, node):
        return self.role(node, "weight") or "Int8"


@pytest.mark.parametrize("seed", range(24))
def test_random_layers(preon, seed):
    dice = random.Random(seed)
    model = random_graph(dice)
    config = random_configuration(dice, model)
    if len(config["exclude"]) == len(model.graph.node):
        config["exclude"] = []
    onnx.save(model, preon.folder / "model.onnx")
    (preon.folder / "c.json").write_text(json.dumps(config))
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "random:2", "--config", "c.json")
    assert done.returncode == 0, (done.stderr, config)
    result = onnx.load(preon.folder / "out.onnx")
    types = {each.name: each.data_type for each in result.graph.initializer}
    producers = {output: node for node in result.graph.node for output in node.output}
    nodes = {node.name: node for node in result.graph.node}

    def dequantized_from(tensor):
        """Type of the codes that a DequantizeLinear makes the tensor of, or None."""
        node = producers.get(tensor)
        return types[node.input[2]] if node is not None and node.op_type == "DequantizeLinear" else None

    quantizers = [node.input[0] for node in result.graph.node if node.op_type == "QuantizeLinear"]
    assert len(set(quantizers)) == len(quantizers), "a tensor has two quantizers"
    wanted = Wanted(config, model)
    for node in model.graph.node:
        if node.name in config["exclude"] or node.name not in nodes:   # of equal nodes one is kept
            continue
        written = nodes[node.name]
        activations = [name for name in node.input if not name.startswith("w")]
        for name, inside in zip(activations, written.input):
            if name.startswith("t") and f"n{name[1:]}" not in nodes:
                continue   # its writer became another node's, whose settings count
            assert dequantized_from(inside) == TYPES[wanted.input(node, name)], (node.name, name, config)
        if node.op_type == "Conv":
            assert dequantized_from(written.input[1]) == TYPES[wanted.weight(node)], (node.name, config)
