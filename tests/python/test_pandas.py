"""`data=` and `eval_data=` with columns and tables of pandas: rows count by their place, whatever their labels are."""
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(8, 4)).astype(np.float32)
ROWS = RNG.normal(size=(40, 8)).astype(np.float32)
LABELS = (ROWS @ WEIGHTS).argmax(1)  # the float model is right on all of them


class StandIn:
    """As far as pandas is needed here: `column[label]` and `table[name]`, `iloc` by place."""

    class Series:
        def __init__(self, values, index=None):
            self.values, self.index = list(values), list(range(len(values)) if index is None else index)
            self.shape, self.iloc = (len(self.values),), self.values
            self.dtype = self.to_numpy().dtype

        def to_numpy(self):
            if isinstance(self.values[0], np.ndarray):
                array = np.empty(len(self.values), object)
                array[:] = self.values
                return array
            return np.array(self.values)

        def __array__(self, dtype=None, copy=None):
            return self.to_numpy()

        def __len__(self):
            return len(self.values)

        def __getitem__(self, label):
            if label not in self.index:
                raise KeyError(label)
            return self.values[self.index.index(label)]

    class DataFrame:
        def __init__(self, columns):
            self.of = dict(enumerate(columns.T)) if isinstance(columns, np.ndarray) else columns
            self.columns, self.iloc = list(self.of), None
            self.shape = (len(self), len(self.of))

        def to_numpy(self):
            return np.stack([np.asarray(column) for column in self.of.values()], axis=1)

        def __array__(self, dtype=None, copy=None):
            return self.to_numpy()

        def __len__(self):
            return len(next(iter(self.of.values())))

        def __iter__(self):
            return iter(self.columns)

        def __getitem__(self, name):
            return StandIn.Series(self.of[name])


def pandas_or_skip():
    return pytest.importorskip("pandas", reason="pandas is not installed")


@pytest.fixture(params=[lambda: StandIn, pandas_or_skip], ids=["stand-in", "pandas"])
def pd(request):
    return request.param()


@pytest.fixture
def model():
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size]) for name, size in (("x", 8), ("y", 4))]
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", ends[:1], ends[1:], [numpy_helper.from_array(WEIGHTS, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def accuracy(model, data):
    result = preon_package.compare(model, model, data=data)
    return result.samples, result.accuracy.float.top1


def ranges(model, data):
    return preon_package.ranges(model, data=data, method="minmax").tensors


@pytest.mark.parametrize("order", [range(40), RNG.permutation(40), range(1, 40, 2)], ids=["in order", "shuffled", "filtered"])
def test_columns(pd, model, order):
    order = list(order)
    x, label = pd.Series([ROWS[place] for place in order], index=order), pd.Series([int(LABELS[place]) for place in order], index=order)
    assert accuracy(model, {"x": x, "label": LABELS[order]}) == accuracy(model, {"x": x, "label": label}) == (len(order), 1)


def test_tables(pd, model):
    wanted = ranges(model, ROWS)
    named = {f"f{place}": column for place, column in enumerate(ROWS.T)}
    for table in (pd.DataFrame(ROWS), pd.DataFrame(named)):
        assert ranges(model, table) == ranges(model, {"x": table}) == wanted
    assert accuracy(model, {"x": pd.DataFrame(ROWS[:8]), "label": LABELS[:8]}) == (8, 1)  # square


def test_a_table_with_a_column_for_each_input(pd, model):
    table = pd.DataFrame({"x": list(ROWS), "label": LABELS, "name": ["a row"] * 40})
    assert accuracy(model, table) == (40, 1)


def test_samples_that_judge(pd, model):
    quantized = preon_package.quantize(model, data=ROWS, effort="fast", always_write=True).model
    figures = [preon_package.validate(model, quantized, data=ROWS, eval_data=given, latency=0).models[0].compare.outputs.y.sqnr_db
               for given in (ROWS[::2], {"x": pd.Series(list(ROWS[::2]), index=range(0, 40, 2))}, pd.DataFrame(ROWS[::2]))]
    assert figures[0] == figures[1] == figures[2]


def test_a_sample_is_a_column(pd, model):
    assert ranges(model, [{"x": pd.Series(row, index=range(5, 13))} for row in ROWS]) == ranges(model, ROWS)
