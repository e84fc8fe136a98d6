"""dump_model: codes and values of a quantized model for one sample, as files."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import ConfigError, DataError, dump_model, quantize, run  # noqa: E402


@pytest.fixture
def quantized(tmp_path, model, data):
    quantize(tmp_path / model, tmp_path / "q.onnx", data=tmp_path / data, target="quark", method="minmax", activation="int8")
    return tmp_path / "q.onnx"


def reference(path, feeds, outputs):
    """Values of inner tensors by the runtime alone."""
    onnxruntime = pytest.importorskip("onnxruntime")
    proto = onnx.load(path)
    proto.graph.ClearField("output")
    proto.graph.output.extend(onnx.ValueInfoProto(name=name) for name in outputs)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return dict(zip(outputs, onnxruntime.InferenceSession(proto.SerializeToString(), options).run(None, feeds)))


def test_codes_and_values(quantized, tmp_path, reader, samples):
    dump_model(quantized, reader(samples), dump_float=True, output_dir=tmp_path / "dump")
    graph = onnx.load(quantized).graph
    constants = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    pairs = [node for node in graph.node if node.op_type == "DequantizeLinear"]
    outputs = [name for node in graph.node for name in node.output]
    values = reference(quantized, samples[0], list(dict.fromkeys([*(node.input[0] for node in pairs if node.input[0] not in constants), *outputs])))
    assert pairs and len(list((tmp_path / "dump").iterdir())) == 2 * len(pairs) + 2 * len([name for name in outputs if values[name].dtype == np.float32])
    for node in pairs:
        codes = constants.get(node.input[0], values.get(node.input[0]))
        name = node.output[0].replace("/", "_")
        got = np.fromfile(tmp_path / "dump" / f"{name}.bin", codes.dtype)
        assert got.size == codes.size and np.abs(got.astype(int) - codes.ravel().astype(int)).max() <= 1
        np.testing.assert_array_equal(np.loadtxt(tmp_path / "dump" / f"{name}.txt", ndmin=1), got)
        floats = np.fromfile(tmp_path / "dump" / f"{name}_float.bin", np.float32)
        scale, zero = constants[node.input[1]], constants[node.input[2]].astype(int) if len(node.input) > 2 else 0
        if scale.size == 1:
            np.testing.assert_allclose(floats, (got.astype(int) - zero) * scale, rtol=1e-6, atol=1e-12)


def test_one_random_sample(quantized, tmp_path):
    dump_model(onnx.load(quantized), output_dir=tmp_path / "one")
    dump_model(str(quantized), output_dir=tmp_path / "two", random_data_reader_input_shape={"input": [1, 3, 8, 8]})
    files = [{path.name: path.read_bytes() for path in sorted((tmp_path / name).iterdir())} for name in ("one", "two")]
    assert files[0] == files[1] and not any("_float" in name for name in files[0])


@pytest.mark.parametrize("kind", ["INT4", "UINT4", "INT16"])
def test_other_types(tmp_path, kind):
    values = {"s": np.float32(0.5), "w": np.arange(-3, 4, dtype=np.float32)}
    code = getattr(TensorProto, kind)
    nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], name="n_q"), helper.make_node("DequantizeLinear", ["q", "s", "z"], ["/d"], name="n_d"),
             helper.make_node("Add", ["/d", "w"], ["y"], name="n_y")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, [7])], [helper.make_tensor_value_info("y", 1, [7])],
                              [*(numpy_helper.from_array(each, name) for name, each in values.items()), helper.make_tensor("z", code, [], [1])])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)

    class One:
        def get_next(self):
            return {"x": np.array([0, 0.5, 1, 1.5, 2, 2.5, 3], np.float32)}

    dump_model(proto, One(), output_dir=tmp_path)
    dtype = {"INT4": np.int8, "UINT4": np.uint8, "INT16": np.int16}[kind]
    assert np.fromfile(tmp_path / "_d.bin", dtype).tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert (tmp_path / "_d.txt").read_text().split() == ["1", "2", "3", "4", "5", "6", "7"]


def test_a_float_model(tmp_path, model, reader, samples):
    with pytest.raises(ConfigError, match="no tensor of the model has integer codes"):
        dump_model(tmp_path / model, reader(samples), output_dir=tmp_path / "dump")
    assert not (tmp_path / "dump").exists()
    dump_model(tmp_path / model, reader(samples), dump_float=True, output_dir=tmp_path / "dump")
    assert (tmp_path / "dump").exists() and all("_float." in path.name for path in (tmp_path / "dump").iterdir())
    with pytest.raises(DataError, match="no sample"):
        dump_model(tmp_path / model, reader([]), dump_float=True, output_dir=tmp_path / "dump")


def test_run(tmp_path, model, data, samples):
    result = run(tmp_path / model, data=tmp_path / data, save=tmp_path / "outputs")
    assert result.samples == len(samples) and result.latency_ms.p50 > 0
    (folder,) = (tmp_path / "outputs").iterdir()
    assert len(list(folder.glob("*.npy"))) == len(samples)
