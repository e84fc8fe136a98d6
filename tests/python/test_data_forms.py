"""What `data=` takes in Python: each form gives the model that the same samples in a file give."""
import collections.abc
import warnings

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import ConfigError, DataError  # noqa: E402


class Tensor:
    """As PyTorch's, as far as anybody needs it."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def detach(self):
        return self

    cpu = detach

    def __array__(self, dtype=None, copy=None):
        return self.array

    def __len__(self):
        return len(self.array)

    def __getitem__(self, index):
        return Tensor(self.array[index])


class MapDataset:
    """torch.utils.data.Dataset: by index, no iterator."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class DataLoader:
    """Iterated anew for each pass; batches of four."""

    def __init__(self, make, rows):
        self.make, self.rows = make, rows

    def __iter__(self):
        for first in range(0, len(self.rows), 4):
            yield self.make(Tensor(self.rows[first:first + 4]))


class Shuffled:
    """Another order each time."""

    def __init__(self, rows):
        self.rows, self.dice = rows, np.random.default_rng(3)

    def __iter__(self):
        return iter(self.dice.permutation(self.rows))


class HuggingFace:
    """datasets.Dataset: rows of Python lists, columns that the model does not have."""

    column_names = ["input", "text", "label"]

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return ({"input": row.tolist(), "text": "a picture", "label": 1} for row in self.rows)


class Rewinding:
    def __init__(self, rows):
        self.rows = rows
        self.rewind()

    def rewind(self):
        self.left = iter(self.rows)

    def get_next(self):
        row = next(self.left, None)
        return None if row is None else {"input": row[None]}


class Columns(collections.abc.Mapping):
    """numpy.load() of an .npz is no dict either."""

    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, name):
        return {"input": self.rows}[name]

    def __iter__(self):
        return iter(["input"])

    def __len__(self):
        return 1


def memory_map(rows, folder):
    np.save(folder / "rows.npy", rows)
    return np.load(folder / "rows.npy", mmap_mode="r")


#: (rows [12,3,8,8], folder) -> data
FORMS = {
    "a path": lambda rows, folder: folder / "calib.npz",
    "paths": lambda rows, folder: [str(folder / "calib.npz")],
    "an array": lambda rows, folder: rows,
    "an array of doubles": lambda rows, folder: rows.astype(np.float64),
    "a memory-mapped array": memory_map,
    "an array that is not contiguous": lambda rows, folder: np.asfortranarray(rows),
    "an array-like tensor": lambda rows, folder: Tensor(rows),
    "a dict of arrays": lambda rows, folder: {"input": rows},
    "a mapping of arrays": lambda rows, folder: Columns(rows),
    "numpy.load of a file": lambda rows, folder: np.load(folder / "calib.npz"),
    "a dict of lists": lambda rows, folder: {"input": rows.tolist()},
    "nested lists": lambda rows, folder: rows.tolist(),
    "a list of samples": lambda rows, folder: list(rows),
    "a list of samples with batch axis": lambda rows, folder: [row[None] for row in rows],
    "a list of dicts": lambda rows, folder: [{"input": row} for row in rows],
    "a tuple of dicts": lambda rows, folder: tuple({"input": row[None]} for row in rows),
    "a generator of arrays": lambda rows, folder: (row for row in rows),
    "a generator of dicts": lambda rows, folder: ({"input": row[None]} for row in rows),
    "a function that gives a generator": lambda rows, folder: lambda: ([row[None]] for row in rows),
    "a map-style dataset": lambda rows, folder: MapDataset([(row, 3) for row in rows]),
    "a DataLoader of tensors": lambda rows, folder: DataLoader(lambda batch: batch, rows),
    "a DataLoader of pairs": lambda rows, folder: DataLoader(lambda batch: [batch, Tensor(np.zeros(len(batch), np.int64))], rows),
    "a DataLoader with targets that are no classes": lambda rows, folder: DataLoader(lambda batch: (batch, {"boxes": []}), rows),
    "a DataLoader of dicts": lambda rows, folder: DataLoader(lambda batch: {"input": batch}, rows),
    "a Hugging Face dataset": lambda rows, folder: HuggingFace(rows),
    "a reader": lambda rows, folder: Rewinding(rows),
}


# Not at default effort: codes are fitted run by run, and a DataLoader makes runs of its batches.
@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_forms(model, data, rows, tmp_path, make):
    preon_package.quantize(tmp_path / model, tmp_path / "file.onnx", data=tmp_path / data, method="percentile", effort="fast", latency=0)
    result = preon_package.quantize(tmp_path / model, tmp_path / "form.onnx", data=make(rows, tmp_path), method="percentile", effort="fast", latency=0)
    assert result.samples == len(rows) and "outputs" in result.compare
    assert (tmp_path / "form.onnx").read_bytes() == (tmp_path / "file.onnx").read_bytes()


class OneIterator:
    """iter() of it goes on where the last one was."""

    def __init__(self, rows):
        self.left = iter(rows)

    def __iter__(self):
        return self.left


@pytest.mark.parametrize("kind", [Shuffled, OneIterator])
def test_another_order_each_time(model, rows, tmp_path, kind):
    assert preon_package.quantize(tmp_path / model, data=kind(rows), latency=0).samples == len(rows)


@pytest.mark.parametrize("type", [np.float16, np.float64, np.uint8, np.int16, bool])
def test_element_types_are_converted_as_those_of_files(model, rows, tmp_path, type):
    rows = np.abs(rows * 4).astype(type)
    np.savez(tmp_path / "typed.npz", input=rows)
    by_file, by_array = (preon_package.calibrate(tmp_path / model, tmp_path / "m.calib", data=data) for data in (tmp_path / "typed.npz", rows))
    ranges = preon_package.ranges(tmp_path / "m.calib", method="minmax").tensors["input"]
    assert by_file.samples == by_array.samples and ranges["max"] == pytest.approx(float(rows.max()))


@pytest.mark.parametrize("type", [">f4", ">f8", np.longdouble])
def test_types_of_other_machines(model, data, rows, tmp_path, type):
    for name, given in (("native", rows), ("other", rows.astype(type))):
        preon_package.calibrate(tmp_path / model, tmp_path / f"{name}.calib", data=given)
    one, other = (preon_package.ranges(tmp_path / f"{name}.calib", method="minmax").tensors for name in ("native", "other"))
    assert one == other


def test_an_array_for_a_model_without_inputs(tmp_path):
    graph = helper.make_graph([helper.make_node("RandomNormal", [], ["y"], shape=[2])], "g", [], [helper.make_tensor_value_info("y", 1, [2])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "none.onnx")
    with pytest.raises(DataError, match="the model has no inputs"):
        preon_package.calibrate(tmp_path / "none.onnx", tmp_path / "m.calib", data=np.zeros((2, 2), np.float32))


def test_labels_beyond_the_classes_are_told(tmp_path):
    model = save(tmp_path / "m.onnx", ["image"])
    classes = (IMAGES @ numpy_helper.to_array(onnx.load(model).graph.initializer[0])).argmax(1)
    classes[0] = 1000
    np.savez(tmp_path / "d.npz", image=IMAGES, label=classes)
    compared = preon_package.compare(model, model, data=tmp_path / "d.npz", latency=0)
    assert any("1 label is not a class of it" in warning for warning in compared.warnings)


def test_torch(model, data, rows, tmp_path):
    torch = pytest.importorskip("torch")
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.from_numpy(rows)), batch_size=5, shuffle=True)
    assert preon_package.quantize(tmp_path / model, data=loader, latency=0).samples == len(rows)
    assert preon_package.quantize(tmp_path / model, data=torch.from_numpy(rows).bfloat16().requires_grad_(), latency=0).samples == len(rows)


def save(path, inputs, batch="N"):
    """y = image weights, and ids that nothing needs."""
    types = {"image": TensorProto.FLOAT, "ids": TensorProto.INT64, "gain": TensorProto.FLOAT}
    shapes = {"image": [batch, 6], "ids": [batch, 4], "gain": [6]}
    nodes = [helper.make_node("MatMul", ["image", "w"], ["m"])]
    if "ids" in inputs:
        nodes += [helper.make_node("Cast", ["ids"], ["c"], to=TensorProto.FLOAT), helper.make_node("Concat", ["m", "c"], ["y"], axis=1)]
    elif "gain" in inputs:
        nodes += [helper.make_node("Mul", ["m", "gain"], ["y"])]
    else:
        nodes[0].output[0] = "y"
    weight = numpy_helper.from_array(np.random.default_rng(5).normal(size=(6, 6)).astype(np.float32), "w")
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(name, types[name], shapes[name]) for name in inputs],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


IMAGES = np.random.default_rng(6).normal(size=(8, 6)).astype(np.float32)
IDS = np.arange(32).reshape(8, 4)
TWO = {
    "a dict of arrays": {"image": IMAGES, "ids": IDS},
    "integers of another width": {"image": IMAGES, "ids": IDS.astype(np.uint8)},
    "lists": {"image": IMAGES.tolist(), "ids": IDS.tolist()},
    "samples by position": list(zip(IMAGES, IDS)),
    "samples by position with classes": [[image, ids, 2] for image, ids in zip(IMAGES, IDS)],
    "samples by name": [{"ids": ids, "image": image} for image, ids in zip(IMAGES, IDS)],
    "one for all": {"image": IMAGES, "ids": IDS[:1]},
}


@pytest.mark.parametrize("data", TWO.values(), ids=TWO)
def test_several_inputs(tmp_path, data):
    result = preon_package.calibrate(save(tmp_path / "two.onnx", ["image", "ids"]), tmp_path / "two.calib", data=data)
    assert result.samples == 8


def test_a_constant_input(tmp_path):
    model = save(tmp_path / "gain.onnx", ["image", "gain"])
    for gain in (np.ones(6, np.float32), [1.0] * 6):
        assert preon_package.calibrate(model, tmp_path / "g.calib", data={"image": IMAGES, "gain": gain}).samples == 8


@pytest.mark.parametrize("data", [IMAGES, list(IMAGES), {"image": IMAGES}, list(IMAGES.reshape(2, 4, 6))], ids=["array", "list", "dict", "batches"])
def test_a_model_with_a_batch_of_its_own(tmp_path, data):
    model = save(tmp_path / "four.onnx", ["image"], batch=4)
    np.savez(tmp_path / "four.npz", image=IMAGES)
    preon_package.calibrate(model, tmp_path / "file.calib", data=tmp_path / "four.npz")
    assert preon_package.calibrate(model, tmp_path / "form.calib", data=data).samples == 8
    one, other = (preon_package.ranges(tmp_path / f"{name}.calib", method="minmax").tensors["image"] for name in ("file", "form"))
    assert one == other


def test_labels_give_accuracy(tmp_path):
    model = save(tmp_path / "m.onnx", ["image"])
    weight = numpy_helper.to_array(onnx.load(model).graph.initializer[0])
    classes = (IMAGES @ weight).argmax(1)
    for data in ({"image": IMAGES, "label": classes}, list(zip(IMAGES, classes)), [{"image": x, "labels": int(y)} for x, y in zip(IMAGES, classes)]):
        assert preon_package.quantize(model, data=data, method="minmax", latency=0).compare["accuracy"]["float"]["top1"] == 1


@pytest.mark.parametrize("data, kind, says", [
    (7, TypeError, "data: got int, wanted a path, arrays, samples or a reader"),
    (MapDataset, TypeError, "data: got the class MapDataset"),
    ({"train": HuggingFace([])}, ConfigError, r"data: got a dict of datasets \(train\), wanted one of them"),
    ([], DataError, "no samples"),
    ([IMAGES[0], IMAGES[1], IMAGES[2, :5]], DataError, r"sample 2: 'image': shape \[1, 5\]"),
    ([IMAGES[0], [[1.0, 2.0], [3.0]]], DataError, "sample 1: 'image': .*inhomogeneous"),
    ([IMAGES[0], np.array(["a"] * 6)], TypeError, "sample 1: 'image': got ndarray of <U1, wanted an array of numbers"),
    ([IMAGES[0], IMAGES[1].astype(np.int64)], DataError, "sample 1: 'image': type int64, wanted float"),
    ([IMAGES[0], np.full(6, np.inf, np.float32)], DataError, "sample 1: 'image' holds infinity"),
    ([{"image": IMAGES[0]}, {"imgae": IMAGES[1]}], DataError, "sample 1: no array for input 'image'"),
    ([(IMAGES[0], IMAGES[0], IMAGES[0])], DataError, "sample 0: got 3 without a name, the model has 1 inputs: image"),
    ({"image": IMAGES, "label": np.ones(8)}, DataError, "sample 0: 'label'"),
])
def test_mistakes(tmp_path, data, kind, says):
    with pytest.raises(kind, match=says):
        preon_package.calibrate(save(tmp_path / "m.onnx", ["image"]), tmp_path / "m.calib", data=data)
    assert not (tmp_path / "m.calib").exists()


def test_sizes_that_differ(tmp_path):
    with pytest.raises(DataError, match="data: got samples: 8 of 'image', 3 of 'ids'; wanted the same number"):
        preon_package.calibrate(save(tmp_path / "two.onnx", ["image", "ids"]), tmp_path / "m.calib", data={"image": IMAGES, "ids": IDS[:3]})


@pytest.mark.parametrize("options", [{"workers": 2}, {"option": "CalibWorkerNum=2"}])
def test_workers_need_files(model, rows, tmp_path, options):
    """One process reads what lives in it; a script for Quark may ask for more."""
    result = preon_package.quantize(tmp_path / model, data=rows, latency=0, **options)
    assert result.samples == len(rows)
    assert any("one process is used" in warning or "CalibWorkerNum" in warning for warning in result.warnings)


def test_no_warnings_of_numpy(model, rows, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        preon_package.quantize(tmp_path / model, data=rows.tolist())
