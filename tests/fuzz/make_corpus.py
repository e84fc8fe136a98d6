#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets: small files that hold every structure the readers know.

  make_corpus.py PREON        PREON: the built binary, which writes the .calib seeds
"""
import io
import pathlib
import subprocess
import sys
import tempfile
import wave

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, weights=(), inputs=None, opset=13):
    graph = helper.make_graph(nodes, "g", inputs or [value("x", ["N", 3, 4, 4])], [value("y", None)], list(weights))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=7)


def models():
    rng = np.random.default_rng(1)
    weight = numpy_helper.from_array(rng.normal(size=(2, 3, 3, 3)).astype(np.float32), "w")
    parts = [numpy_helper.from_array(np.ones(2, np.float32), name) for name in "sbmv"]
    yield "conv_bn_relu", model([helper.make_node("Conv", ["x", "w"], ["c"], pads=[1] * 4),
                                 helper.make_node("BatchNormalization", ["c", *"sbmv"], ["n"]),
                                 helper.make_node("Relu", ["n"], ["y"])], [weight, *parts])
    branch = lambda name, op: helper.make_graph([helper.make_node(op, ["x"], [name])], name, [], [value(name, None)])
    yield "if", model([helper.make_node("If", ["c"], ["y"], then_branch=branch("t", "Relu"), else_branch=branch("e", "Neg"))],
                      [numpy_helper.from_array(np.array(True), "c")])
    inner = helper.make_graph([helper.make_node("If", ["c"], ["i"], then_branch=branch("p", "Abs"), else_branch=branch("q", "Exp")),
                               helper.make_node("Add", ["i", "k"], ["t"])], "t", [], [value("t", None)],
                              [numpy_helper.from_array(np.float32(2), "k")])
    loop = helper.make_graph([helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Add", ["v", "a"], ["u"])], "l",
                             [value("step", [], TensorProto.INT64), value("go", [], TensorProto.BOOL), value("v", None)],
                             [value("on", [], TensorProto.BOOL), value("u", None)])
    other = helper.make_graph([helper.make_node("Neg", ["x"], ["a"]), helper.make_node("Loop", ["n", "c", "a"], ["e"], body=loop)],
                              "e", [], [value("e", None)])
    yield "branches", model([helper.make_node("Relu", ["x"], ["a0"]),
                             helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=other)],
                            [numpy_helper.from_array(np.array(True), "c"), numpy_helper.from_array(np.int64(2), "n")])
    yield "constant", model([helper.make_node("Constant", [], ["k"], value=weight), helper.make_node("Conv", ["x", "k"], ["y"])])
    outside = numpy_helper.from_array(np.zeros((2, 3, 3, 3), np.float32), "w")
    onnx.external_data_helper.set_external_data(outside, "weights.bin", 0, 216)
    outside.ClearField("raw_data")
    yield "external", model([helper.make_node("Conv", ["x", "w"], ["y"])], [outside])
    yield "upsample", model([helper.make_node("Dropout", ["x"], ["d"], ratio=0.5),
                           helper.make_node("Upsample", ["d", "s"], ["y"], mode="nearest")],
                          [numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "s")], opset=9)


def arrays():
    x = np.arange(2 * 3 * 4 * 4, dtype=np.float32).reshape(2, 3, 4, 4)
    for name, save in (("stored.npz", np.savez), ("deflated.npz", np.savez_compressed)):
        buffer = io.BytesIO()
        save(buffer, x=x, label=np.arange(2))
        yield name, buffer.getvalue()
    for name, values in (("float.npy", x), ("double.npy", x.astype(np.float64)), ("fortran.npy", np.asfortranarray(x))):
        buffer = io.BytesIO()
        np.save(buffer, values)
        yield name, buffer.getvalue()
    for kind in ("PNG", "JPEG", "BMP", "WEBP"):
        buffer = io.BytesIO()
        Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)).save(buffer, kind)
        yield f"image.{kind.lower()}", buffer.getvalue()
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(2), file.setsampwidth(2), file.setframerate(16000)
        file.writeframes(np.arange(20, dtype=np.int16).tobytes())
    yield "sound.wav", buffer.getvalue()


def configurations():
    yield "plain.json", b'{"method": "percentile", "exclude": ["conv_1"], "extra_options": {"CalibDataSize": 5, "Percentile": 99.9}}'
    yield "qconfig.json", (b'{"global_config": {"input_tensors": {"dtype": "uint8", "symmetric": false}, "weight": {"dtype": "int8", '
                           b'"symmetric": true}}, "exclude": ["conv_1"], "layer_type_config": {"MatMul": null}}')
    yield "aliases.yaml", b"method: &m minmax\nexclude: &e [a, b]\nop_types: *e\nactivation: {type: *m}\n"
    yield "itself.yaml", b"a: &x [*x]\n"
    yield "bomb.yaml", b"".join([b"a0: &a0 [1]\n"] + [b"a%d: &a%d [%s]\n" % (i, i, b",".join([b"*a%d" % (i - 1)] * 9)) for i in range(1, 12)])
    yield "quoted.yaml", b"a: '1'\nb: \"x\\ty\"\nc: |\n  text\nd: !!str 3\n? e\n: ~\n"


def recipes():
    """tests/fuzz/operators_fuzz.cc: the operator, then attribute and value in turn."""
    for operator in range(19):
        yield f"op{operator:02}", bytes([operator, 0, 8, 1, 9])


def main():
    for folder in ("model", "data", "calib", "config", "instrument", "operators"):
        (CORPUS / folder).mkdir(parents=True, exist_ok=True)
    for name, proto in models():
        (CORPUS / "model" / f"{name}.onnx").write_bytes(proto.SerializeToString())
    for name, content in arrays():
        (CORPUS / "data" / name).write_bytes(content)
    for name, content in configurations():
        (CORPUS / "config" / name).write_bytes(content)
    for name, content in recipes():
        (CORPUS / "operators" / name).write_bytes(content)
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch)
        np.savez(source / "x.npz", x=np.linspace(-2, 3, 96, dtype=np.float32).reshape(2, 3, 4, 4))
        for name, options in (("sampled", []), ("exact", ["--exact"]), ("rows", ["--per-sample"])):
            subprocess.run([pathlib.Path(sys.argv[1]).resolve(), "calibrate", CORPUS / "model/conv_bn_relu.onnx", "-o",
                            CORPUS / "calib" / f"{name}.calib", "--data", "x.npz", "--quiet", *options], check=True, cwd=source)
        for name in ("conv_bn_relu",):
            subprocess.run([pathlib.Path(sys.argv[1]).resolve(), "instrument", CORPUS / f"model/{name}.onnx", "-o", "served.onnx",
                            "--quiet"], check=True, cwd=source)
            served = onnx.load(source / "served.onnx")
            packed = next(tensor for tensor in served.graph.initializer if tensor.name == "preon.model")
            (CORPUS / "instrument" / f"{name}.json").write_bytes(served.graph.node[0].attribute[0].s)
            (CORPUS / "instrument" / f"{name}.onnx").write_bytes(packed.raw_data)


if __name__ == "__main__":
    main()
