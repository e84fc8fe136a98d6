#!/usr/bin/env python3
"""Writes one model of `bench size`, in a process of its own, and prints where it is.

  make_large.py FOLDER chain LENGTH      LENGTH nodes, one after the other: MatMul with 8 x 8 weights, Relu, Add in turn
  make_large.py FOLDER weights GIGABYTES linear layers of 4096 x 4096 with a Relu between them, weights in a file beside the model
"""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH = 4096


def write(path, nodes, width, weights, **how):
    tensor = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", width])
    initializers = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights]
    graph = helper.make_graph(nodes, "large", [tensor("x")], [tensor("y")], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path, **how)


def chain(path, length):
    dice = np.random.default_rng(0)
    nodes, values, last = [], [], "x"
    for index in range(length):
        operator = ["MatMul", "Relu", "Add"][index % 3]
        if operator == "MatMul":
            weight = np.eye(8) + dice.normal(size=(8, 8)) / 50
            values.append((f"w{index}", 0.98 * weight / np.linalg.norm(weight, 2)))  # values of a chain of any length stay finite
        elif operator == "Add":
            values.append((f"b{index}", np.abs(dice.normal(size=8)) / 50))
        others = [] if operator == "Relu" else [values[-1][0]]
        output = "y" if index == length - 1 else f"t{index}"
        nodes.append(helper.make_node(operator, [last, *others], [output], name=f"n{index}"))
        last = output
    write(path, nodes, 8, values)


def weights(path, gigabytes):
    dice = np.random.default_rng(0)
    layers = round(gigabytes * 1e9 / (4 * WIDTH * WIDTH))
    nodes, values = [], []
    for index in range(layers):
        last, output = "x" if index == 0 else f"r{index - 1}", "y" if index == layers - 1 else f"t{index}"
        nodes.append(helper.make_node("MatMul", [last, f"w{index}"], [output], name=f"layer{index}"))
        if index < layers - 1:
            nodes.append(helper.make_node("Relu", [output], [f"r{index}"], name=f"relu{index}"))
        values.append((f"w{index}", dice.normal(scale=(2 / WIDTH) ** 0.5, size=(WIDTH, WIDTH))))
    write(path, nodes, WIDTH, values, save_as_external_data=True, location=path.name + ".data")


def main():
    folder, kind, amount = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{kind}-{amount}.onnx"
    if not path.exists():
        {"chain": lambda: chain(path, int(amount)), "weights": lambda: weights(path, float(amount))}[kind]()
    print(json.dumps({"model": str(path)}))


if __name__ == "__main__":
    main()
