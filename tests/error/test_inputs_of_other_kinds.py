"""Inputs that no sample can be given to name what to do; shapes are written where they were or where they are asked for."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

SHAPE = ["N", 64]
FLOATS = helper.make_tensor_type_proto(TensorProto.FLOAT, SHAPE)
KINDS = {
    "strings": (helper.make_tensor_value_info("x", TensorProto.STRING, SHAPE), helper.make_node("Cast", ["x"], ["floats"], to=1)),
    "optional": (helper.make_value_info("x", helper.make_optional_type_proto(FLOATS)), helper.make_node("OptionalGetElement", ["x"], ["floats"])),
    "sequence": (helper.make_value_info("x", helper.make_sequence_type_proto(FLOATS)), helper.make_node("ConcatFromSequence", ["x"], ["floats"], axis=0)),
}


def save(path, declared, first, stated=()):
    weights = [numpy_helper.from_array(np.random.default_rng(index).normal(size=(64, 64)).astype(np.float32), f"w{index}") for index in (0, 1)]
    nodes = [first, helper.make_node("MatMul", ["floats", "w0"], ["inner"], name="a"), helper.make_node("MatMul", ["inner", "w1"], ["y"], name="b")]
    graph = helper.make_graph(nodes, "net", [declared], [helper.make_tensor_value_info("y", TensorProto.FLOAT, SHAPE)], weights,
                              value_info=[helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in stated])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)
    np.savez(path.parent / "data.npz", x=np.random.default_rng(2).normal(size=(16, 64)).astype(np.float32))


@pytest.mark.parametrize("kind", KINDS)
def test_the_error_names_a_way_out(preon, tmp_path, kind):
    save(tmp_path / "net.onnx", *KINDS[kind])
    done = preon("quantize", "net.onnx", "-o", "out.onnx", "--data", "data.npz")
    assert done.returncode == 2 and "[E2011]" in done.stderr and "input 'x'" in done.stderr
    assert "onnx.utils.extract_model" in done.stderr
    assert not (tmp_path / "out.onnx").exists()


@pytest.mark.parametrize("stated", [(), ("inner",)])
def test_shapes_are_those_of_the_model_unless_asked_for(preon, tmp_path, stated):
    save(tmp_path / "net.onnx", helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE), helper.make_node("Exp", ["x"], ["floats"]), stated)
    written = {}
    for options in ((), ("--value-info",)):
        done = preon("quantize", "net.onnx", "-o", "out.onnx", "--data", "data.npz", "--target", "ort-cpu", "--latency", 0, *options)
        assert done.returncode == 0, done.stderr
        written[options] = {info.name for info in onnx.load(tmp_path / "out.onnx").graph.value_info}
    assert written[()] == set(stated)
    assert {"inner", "floats"} <= written["--value-info",]
