"""A table that Gather reads gives its scale to what it writes; the look at activations alone, before codes are fitted, keeps such a table in codes."""
import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def embedding_model():
    random = np.random.default_rng(0)
    constant = lambda name, *shape: numpy_helper.from_array(random.normal(size=shape).astype(np.float32), name)
    graph = helper.make_graph([
        helper.make_node("Gather", ["table", "ids"], ["words"]),
        helper.make_node("MatMul", ["words", "w1"], ["hidden"]),
        helper.make_node("Relu", ["hidden"], ["positive"]),
        helper.make_node("MatMul", ["positive", "w2"], ["scores"])], "embedding",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["rows", 4])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["rows", 4, 8])],
        [constant("table", 40, 32), constant("w1", 32, 48), constant("w2", 48, 8)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def test_codes_are_fitted_behind_a_table(preon):
    onnx.save(embedding_model(), preon.folder / "model.onnx")
    np.save(preon.folder / "ids.npy", np.random.default_rng(1).integers(0, 40, size=(60, 4)))
    done = preon("quantize", "model.onnx", "-o", "q.onnx", "--data", "ids.npy", "--weight", "int4", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert any("activations_db" in candidate for candidate in told["candidates"])
    assert told["improved"][0]["layers_changed"] == 2
