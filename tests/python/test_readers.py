"""AMD Quark's readers, and readers of others."""
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import (CachedDataReader, DataError, Int8Spec, ModelQuantizer, NotFound, PathDataReader, QConfig,  # noqa: E402
                   QLayerConfig, RandomDataReader, UInt8Spec)

CONFIG = QConfig(QLayerConfig(input_tensors=UInt8Spec(), weight=Int8Spec()))


def two_inputs():
    """image [N,3,?,?] and ids int64 [N,4] -> (nothing computes: readers look at inputs alone)."""
    inputs = [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 3, "H", "W"]),
              helper.make_tensor_value_info("ids", TensorProto.INT64, ["N", 4])]
    return helper.make_model(helper.make_graph([helper.make_node("Identity", ["image"], ["y"])], "g", inputs,
                                               [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]))


def everything(reader):
    return list(iter(reader.get_next, None))


def test_a_reader_may_use_its_arrays_again(model, samples, tmp_path):
    """Without rewind() the samples are kept for the comparison: as they were."""
    class Again:
        def __init__(self):
            self.left, self.array = list(samples), np.empty_like(samples[0]["input"])

        def get_next(self):
            if not self.left:
                return None
            self.array[...] = self.left.pop(0)["input"]
            return {"input": self.array}

    class Fresh(Again):
        def get_next(self):
            return self.left.pop(0) if self.left else None

    again, fresh = (preon_package.quantize(tmp_path / model, tmp_path / f"{kind.__name__}.onnx", reader=kind(), latency=0) for kind in (Again, Fresh))
    assert again.compare["outputs"] == fresh.compare["outputs"] and "outputs" in again.compare and "compare" in again
    assert (tmp_path / "Again.onnx").read_bytes() == (tmp_path / "Fresh.onnx").read_bytes()


def test_cached_reader_reads_once_and_no_more_than_asked(reader, samples):
    class Counting(reader):
        read = 0

        def get_next(self):
            Counting.read += 1
            return super().get_next()

    cached = CachedDataReader(Counting(samples), data_size=3)
    assert Counting.read == 3 == len(cached) == len(everything(cached))
    cached.reset_iter()
    assert len(everything(cached)) == 3
    cached.set_range(1, 2)
    assert len(cached) == 1 and everything(cached) == [samples[1]]


def test_cached_reader_converts_copies(reader):
    image = np.random.default_rng(0).normal(size=(1, 3, 4, 5)).astype(np.float32)
    before = image.copy()
    made = CachedDataReader(reader([{"x": image}]), convert_nchw_to_nhwc=True, quantize_fp16=True).get_next()["x"]
    assert made.shape == (1, 4, 5, 3) and made.dtype == np.float16 and np.array_equal(image, before)


@pytest.mark.parametrize("samples, says", [([], "No data in the input"), ([{"x": [1.0]}], "input 'x': got list")])
def test_cached_reader_refuses(reader, samples, says):
    with pytest.raises(DataError, match=says):
        CachedDataReader(reader(samples))


def test_random_reader(model, tmp_path):
    sample = RandomDataReader(two_inputs()).get_next()
    assert sample["image"].shape == (1, 3, 32, 32) and 0 <= sample["image"].min() and sample["image"].max() < 1
    assert sample["ids"].dtype == np.int64 and set(np.unique(sample["ids"])) <= {0, 1}
    sized = RandomDataReader(two_inputs(), {"image": [2, 3, 8, 9], "ids": [2, 4]}, {"image": [-1, 1], "ids": [5, 7]}).get_next()
    assert sized["image"].shape == (2, 3, 8, 9) and sized["image"].min() < 0 and set(np.unique(sized["ids"])) <= {5, 6, 7}
    with pytest.raises(DataError, match="input_shape: no entry for input 'ids'"):
        RandomDataReader(two_inputs(), {"image": [1, 3, 8, 8]})
    ModelQuantizer(CONFIG).quantize_model(tmp_path / model, tmp_path / "o.onnx", RandomDataReader(tmp_path / model, {"input": [1, 3, 8, 8]}))


def test_path_reader_in_the_order_of_names(tmp_path, model):
    folder = tmp_path / "calib"
    folder.mkdir()
    for name, value in (("b", 2), ("a", 1), ("c", 3)):
        np.save(folder / f"{name}.npy", np.full((3, 8, 8), value, np.float64))  # without a batch axis, of another type
    read = everything(PathDataReader(tmp_path / model, folder))
    assert [each["input"].flat[0] for each in read] == [1, 2, 3]
    assert all(each["input"].shape == (1, 3, 8, 8) and each["input"].dtype == np.float32 for each in read)
    ModelQuantizer(CONFIG).quantize_model(tmp_path / model, tmp_path / "o.onnx", calibration_data_path=folder)
    assert (tmp_path / "o.onnx").exists()


def test_path_reader_of_several_inputs(tmp_path):
    for name, shape in (("image", (1, 3, 4, 4)), ("ids", (1, 4))):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "0.npy", np.ones(shape))
    onnx.save(two_inputs(), tmp_path / "two.onnx")
    sample = PathDataReader(str(tmp_path / "two.onnx"), str(tmp_path)).get_next()
    assert sample["image"].dtype == np.float32 and sample["ids"].dtype == np.int64
    (tmp_path / "ids/0.npy").unlink()
    with pytest.raises(NotFound, match="ids/0.npy: no such file"):
        PathDataReader(two_inputs(), tmp_path)


def test_path_reader_refuses_other_shapes(tmp_path, model):
    np.save(tmp_path / "a.npy", np.ones((1, 4, 8, 8)))
    with pytest.raises(DataError, match=r"a.npy: shape \[1, 4, 8, 8\], wanted \['\?', 3, 8, 8\]"):
        PathDataReader(tmp_path / model, tmp_path)


def test_other_data_paths_go_to_the_library(tmp_path, model, data):
    ModelQuantizer(CONFIG).quantize_model(tmp_path / model, tmp_path / "o.onnx", calibration_data_path=tmp_path / data)
    assert (tmp_path / "o.onnx").exists()


def test_readers_of_onnx_runtime(tmp_path, model, samples):
    base = pytest.importorskip("onnxruntime.quantization").CalibrationDataReader

    class Theirs(base):
        def __init__(self):
            self.samples = iter(samples)

        def get_next(self):
            return next(self.samples, None)

    quantizer = ModelQuantizer(CONFIG)
    quantizer.quantize_model(tmp_path / model, tmp_path / "o.onnx", Theirs())
    assert quantizer.result.samples == len(samples)


def test_batches_of_different_size(tmp_path, model, samples, reader):
    batches = [{"input": np.concatenate([each["input"] for each in samples[first:last]])} for first, last in ((0, 4), (4, 5), (5, 12))]
    quantizer = ModelQuantizer(CONFIG)
    quantizer.quantize_model(tmp_path / model, tmp_path / "o.onnx", reader(batches))
    assert quantizer.result.samples == 12


def test_the_interpreter_may_end_while_another_thread_is_inside(model, tmp_path):
    """A daemon thread is not waited for; its run is, and ends as interrupted."""
    script = """
import sys, threading, time
import numpy as np
import preon
inside = threading.Event()
threading.excepthook = lambda _: None  # Python itself may die where a daemon thread prints while it ends

def slow():
    for _ in range(200):
        inside.set()
        time.sleep(0.05)
        yield np.zeros((1, 3, 8, 8), np.float32)

threading.Thread(target=lambda: preon.calibrate(sys.argv[1], sys.argv[2], data=slow(), progress=False), daemon=True).start()
inside.wait()
"""
    done = subprocess.run([sys.executable, "-c", script, tmp_path / model, tmp_path / "a.calib"], capture_output=True, text=True, timeout=60,
                          env={"PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "a.calib").exists()
