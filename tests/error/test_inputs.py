"""Models and data that can't be used: one line that names the file, the documented status, nothing written."""
import os

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper


def quantize(preon, status, number, model="model.onnx", data="calib.npz", says="", extra=()):
    return preon.fails(status, number, "quantize", model, "-o", "out.onnx", "--data", data, *extra, says=says)


def test_model_missing(preon, data):
    quantize(preon, 2, 2001, "nothing.onnx", says="nothing.onnx")


def test_model_empty(preon, data, tmp_path):
    (tmp_path / "empty.onnx").touch()
    quantize(preon, 2, 2002, "empty.onnx")


@pytest.mark.parametrize("verb", ["quantize", "calibrate", "run", "inspect"])
def test_model_truncated(preon, model, data, tmp_path, verb):
    whole = (tmp_path / model).read_bytes()
    (tmp_path / "cut.onnx").write_bytes(whole[: len(whole) * 2 // 3])
    arguments = [] if verb == "inspect" else ["--data", data]
    arguments += ["-o", "out"] if verb in ("quantize", "calibrate") else []
    preon.fails(2, 2003, verb, "cut.onnx", *arguments, says="cut.onnx")


def test_model_is_something_else(preon, data, tmp_path):
    (tmp_path / "text.onnx").write_text("to be or not to be, that is the question\n" * 50)
    quantize(preon, 2, 2003, "text.onnx", says="text.onnx")


def test_samples_behind_a_link_are_an_input(preon, model, data, tmp_path):
    (tmp_path / "links").mkdir()
    (tmp_path / "links/a.npz").symlink_to(tmp_path / data)
    before = (tmp_path / data).read_bytes()
    for output in (data, "links/a.npz"):
        preon.fails(2, 1004, "calibrate", model, "-o", output, "--data", "links", says="is an input")
    assert (tmp_path / data).read_bytes() == before


@pytest.mark.parametrize("data", ["random:2", "x.npz"])
def test_inputs_that_are_no_tensors(preon, tmp_path, data):
    item = helper.make_tensor_type_proto(TensorProto.FLOAT, [2, 3])
    sequence = helper.make_value_info("q", helper.make_sequence_type_proto(item))
    place = helper.make_tensor("place", TensorProto.INT64, [], [0])
    graph = helper.make_graph([helper.make_node("SequenceAt", ["q", "place"], ["y"])], "g", [sequence],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])], [place])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "q.onnx")
    np.savez(tmp_path / "x.npz", q=np.zeros((2, 2, 3), np.float32))
    quantize(preon, 2, 2011, "q.onnx", data, says="input 'q' is a sequence")


@pytest.mark.parametrize("source", ["pipe.npz", "pictures"])
def test_a_pipe_is_no_file_of_samples(preon, model, tmp_path, source):
    """Opening it would wait until something else writes to it."""
    (tmp_path / "pictures").mkdir()
    for pipe in ("pipe.npz", "pictures/a.png"):
        os.mkfifo(tmp_path / pipe)
    extra = ("--preprocess", "raw") if source == "pictures" else ()
    preon.fails(2, 3001, "run", model, "--data", source, *extra, says="is not a file")
    preon.fails(2, 2001, "inspect", "pipe.npz", says="pipe.npz: is not a file")


@pytest.mark.parametrize("location, number", [("weights.bin", 2006), ("../weights.bin", 2007), ("/etc/passwd", 2007)])
def test_external_data(preon, model, data, tmp_path, location, number):
    loaded = onnx.load(tmp_path / model)
    tensor = loaded.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    (tmp_path / "external.onnx").write_bytes(loaded.SerializeToString())
    quantize(preon, 2, number, "external.onnx", says=location)


def test_all_tensors_in_external_data(preon, model, data, tmp_path):
    """ONNX Runtime reads no shapes from files: small tensors are put into memory, whoever opens the model."""
    loaded = onnx.load(tmp_path / model)
    logits = loaded.graph.output[0]
    loaded.graph.initializer.append(numpy_helper.from_array(np.array([-1, logits.type.tensor_type.shape.dim[-1].dim_value]), "shape"))
    loaded.graph.node.append(helper.make_node("Reshape", [logits.name, "shape"], ["reshaped"]))
    loaded.graph.output[0].name = "reshaped"
    onnx.save_model(loaded, tmp_path / "external.onnx", save_as_external_data=True, location="external.data", size_threshold=0)
    quantized = ("quantize", "external.onnx", "-o", "q.onnx", "--data", data, "--effort", "fast", "--always-write", "--latency", "0")
    (tmp_path / "space.json").write_text('{"method": ["minmax"]}')
    for words in (quantized, ("run", "external.onnx", "--data", data), ("compare", "external.onnx", "q.onnx", "--data", data, "--latency", "0"),
                  ("validate", "external.onnx", "q.onnx", "--data", data, "--latency", "0.1"), ("diff", "external.onnx", "q.onnx", "--data", data),
                  ("search", "external.onnx", "-o", "s.onnx", "--data", data, "--space", "space.json", "--trials", "1")):
        done = preon(*words)
        assert done.returncode == 0, (words, done.stderr)


def test_model_is_quantized_already(preon, model, data):
    assert preon("quantize", model, "-o", "first.onnx", "--data", data).returncode == 0
    assert "preon retarget" in quantize(preon, 2, 2009, "first.onnx").stderr


def test_nothing_to_quantize(preon, tmp_path):
    node = helper.make_node("Sin", ["x"], ["y"], name="sin_1")
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", 1, ["N", 4])],
                              [helper.make_tensor_value_info("y", 1, ["N", 4])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "sin.onnx")
    np.savez(tmp_path / "x.npz", x=np.ones((2, 4), np.float32))
    quantize(preon, 2, 2010, "sin.onnx", "x.npz", says="none of its 1 nodes can run as an integer kernel: 1 Sin (no integer kernel")


def fused_model(path, matmul):
    nodes = [helper.make_node("FusedConv", ["x", "w"], ["c"], domain="com.microsoft", activation="Relu", kernel_shape=[1, 1]),
             helper.make_node("GlobalAveragePool", ["c"], ["p"]), helper.make_node("Flatten", ["p"], ["y" if not matmul else "f"])]
    constants = [numpy_helper.from_array(np.ones((64, 3, 1, 1), np.float32), "w")]
    if matmul:
        nodes.append(helper.make_node("MatMul", ["f", "v"], ["y"]))
        constants.append(numpy_helper.from_array(np.random.default_rng(1).normal(size=(64, 64)).astype(np.float32), "v"))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, ["N", 3, 8, 8])],
                              [helper.make_tensor_value_info("y", 1, ["N", 64])], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8), path)


def test_models_that_the_runtime_has_optimized(preon, tmp_path):
    """Its fused operators have float kernels alone; the model from before has them apart."""
    np.savez(tmp_path / "x.npz", x=np.random.default_rng(2).normal(size=(8, 3, 8, 8)).astype(np.float32))
    fused_model(tmp_path / "fused.onnx", matmul=False)
    assert "give the model from before that" in quantize(preon, 2, 2010, "fused.onnx", "x.npz", says="1 FusedConv").stderr
    fused_model(tmp_path / "partly.onnx", matmul=True)
    done = preon("quantize", "partly.onnx", "-o", "out.onnx", "--data", "x.npz", "--always-write")
    assert done.returncode == 0 and "left out" not in done.stderr, done.stderr
    assert "give the model from before that" in done.stdout + done.stderr


def test_nothing_to_quantize_in_float64(preon, tmp_path):
    weight = helper.make_tensor("w", onnx.TensorProto.DOUBLE, [4, 4], np.eye(4).ravel())
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [helper.make_tensor_value_info("x", onnx.TensorProto.DOUBLE, ["N", 4])],
                              [helper.make_tensor_value_info("y", onnx.TensorProto.DOUBLE, ["N", 4])], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "double.onnx")
    np.savez(tmp_path / "x.npz", x=np.ones((2, 4)))
    quantize(preon, 2, 2010, "double.onnx", "x.npz", says="1 MatMul (element type: computes double")


def test_output_of_a_classifier_that_is_no_tensor(preon, tmp_path):
    classifier = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_int64s=[0, 1])
    kind = helper.make_sequence_type_proto(helper.make_map_type_proto(onnx.TensorProto.INT64, helper.make_tensor_type_proto(1, [])))
    graph = helper.make_graph([classifier], "g", [helper.make_tensor_value_info("x", 1, ["N", 2])], [helper.make_value_info("y", kind)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)], ir_version=8), tmp_path / "map.onnx")
    np.savez(tmp_path / "x.npz", x=np.ones((2, 2), np.float32))
    assert "zipmap=False" in quantize(preon, 2, 2011, "map.onnx", "x.npz", says="output 'y' is a sequence").stderr


def test_data_missing(preon, model):
    quantize(preon, 2, 3001, data="nowhere.npz", says="nowhere.npz")


@pytest.mark.parametrize("array, number, says", [
    ({"imput": np.ones((4, 3, 8, 8), np.float32)}, 3003, "imput"),
    ({"input": np.ones((4, 3, 9, 8), np.float32)}, 3004, "[4, 3, 9, 8]"),
    ({"input": np.ones((3, 8, 8), np.float32)}, 3004, "[3, 8, 8]"),
    ({"input": np.ones((4, 3, 8, 8), np.int32)}, 3005, "int32"),
    ({"input": np.ones((0, 3, 8, 8), np.float32)}, 3007, "no samples"),
])
def test_array_does_not_fit(preon, model, tmp_path, array, number, says):
    np.savez(tmp_path / "bad.npz", **array)
    quantize(preon, 2, number, data="bad.npz", says=says)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_data_not_finite(preon, model, tmp_path, value):
    array = np.ones((4, 3, 8, 8), np.float32)
    array[2, 1, 0, 5] = value
    np.savez(tmp_path / "bad.npz", input=array)
    quantize(preon, 2, 3006, data="bad.npz", says="bad.npz")


def test_data_cut_short(preon, model, data, tmp_path):
    (tmp_path / "cut.npz").write_bytes((tmp_path / data).read_bytes()[:3000])
    quantize(preon, 2, 3002, data="cut.npz", says="cut.npz")


@pytest.mark.parametrize("extra", [(), ("--samples", "2"), ("--shard", "1/4")])
def test_data_damaged(preon, model, data, tmp_path, extra):
    bytes_ = bytearray((tmp_path / data).read_bytes())
    bytes_[len(bytes_) // 2] ^= 1
    (tmp_path / "bad.npz").write_bytes(bytes_)
    verb = ("calibrate", "model.onnx", "-o", "out.calib") if "--shard" in extra else ("quantize", "model.onnx", "-o", "out.onnx")
    preon.fails(2, 3002, *verb, "--data", "bad.npz", *extra, says="bad.npz: 'input': the CRC-32 differs")


def test_folder_without_samples(preon, model, tmp_path):
    (tmp_path / "empty").mkdir()
    quantize(preon, 2, 3007, data="empty", says="empty")


def test_unreadable_image_among_good_ones(preon, model, tmp_path):
    image = pytest.importorskip("PIL.Image")
    folder = tmp_path / "images"
    folder.mkdir()
    for index in range(3):
        image.new("RGB", (8, 8), (index * 40, 0, 0)).save(folder / f"{index}.png")
    (folder / "1.png").write_bytes((folder / "1.png").read_bytes()[:40])
    quantize(preon, 2, 3008, data="images", extra=["--preprocess", "unit"], says="1.png")


def test_calibration_of_another_model(preon, model, data, tmp_path):
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    other = onnx.load(tmp_path / model)
    other.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.ones((8, 3, 3, 3), np.float32), "w1"))
    onnx.save(other, tmp_path / "other.onnx")
    preon.fails(2, 3013, "quantize", "other.onnx", "-o", "out.onnx", "--calib", "a.calib", says="another model")


def test_calibration_file_damaged(preon, model, data, tmp_path):
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    damaged = bytearray((tmp_path / "a.calib").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "a.calib").write_bytes(damaged)
    preon.fails(2, 3012, "ranges", "a.calib", says="a.calib")


def test_the_same_samples_twice(preon, model, data):
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    preon.fails(2, 3013, "merge", "a.calib", "a.calib", "-o", "b.calib")


def test_names_do_not_reach_the_terminal_as_they_are(preon, model, data, tmp_path):
    loaded = onnx.load(tmp_path / model)
    name = "\x1b[2J\x07y\nz\u009b"
    loaded.graph.input[0].name = loaded.graph.node[0].input[0] = name + "in"
    loaded.graph.output[0].name = loaded.graph.node[-1].output[0] = name
    onnx.save(loaded, tmp_path / "odd.onnx")
    done = quantize(preon, 2, 3003, "odd.onnx", says="\\x1b[2J\\x07y z\\x9bin")
    assert set(done.stderr) & {"\x1b", "\x07", "\u009b"} == set()
    np.savez(tmp_path / "odd.npz", **{name + "in": np.load(tmp_path / data)["input"]})
    done = preon("quantize", "odd.onnx", "-o", "out.onnx", "--data", "odd.npz", "--verbose")
    assert done.returncode == 0, done.stderr
    for text in (done.stdout, done.stderr, preon("inspect", "odd.onnx").stdout):
        assert set(text) & {"\x1b", "\x07", "\u009b"} == set()
    assert "'\\x1b[2J\\x07y\\nz\\x9b'" in done.stdout
