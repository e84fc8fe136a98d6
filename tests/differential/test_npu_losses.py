"""What Quark's XINT8 loses on small models by a fault of its own is not lost here: the stored graph and ours, both run on the samples that
calibrated them, against the float model (testdata/quark/graphs; docs/design/npu.md)."""
import functools
import warnings

import graph_goldens
import numpy as np
import onnx
import pytest
from golden_runs import Goldens
from onnx import helper, numpy_helper

pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
import preon  # noqa: E402
from preon import ModelQuantizer, QConfig  # noqa: E402
from preon.quantization import api  # noqa: E402


class Reader:
    def __init__(self, model):
        self.rows = iter(rows(model))

    def get_next(self):
        return next(self.rows, None)


def rows(model):
    arrays = graph_goldens.arrays(model, "calib")
    return [dict(zip(arrays, row)) for row in zip(*arrays.values())]


def sqnr_db(name, model):
    """Of the model's only output, against the float model."""
    def outputs(of):
        session = graph_goldens.session(of)
        return np.concatenate([session.run(None, row)[0].ravel() for row in rows(name)]).astype(np.float64)

    wanted = outputs(source(name))
    error = np.square(wanted - outputs(model)).sum()
    return 10 * np.log10(np.square(wanted).sum() / error)


def source(name):
    return onnx.load(graph_goldens.GRAPHS / f"models/{name}.onnx")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Model -> Quark's graph."""
    goldens = Goldens(tmp_path_factory.mktemp("goldens"))

    def graph(name):
        runs = graph_goldens.runs("xint8")[name]
        return graph_goldens.stored_model(goldens.resolve("xint8", name, runs, runs["XINT8"]), graph_goldens.constants(source(name)), source(name))
    return graph


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Model -> what the preset XINT8 makes of it, and its warnings."""
    monkeypatch.setattr(api, "quantize", functools.partial(api.quantize, latency=0))

    def quantized(name, **keys):
        config = QConfig.get_default_config("XINT8")
        config.global_quant_config.extra_options = {**config.global_quant_config.extra_options, **keys}
        quantizer = ModelQuantizer(config)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quantizer.quantize_model(graph_goldens.GRAPHS / f"models/{name}.onnx", tmp_path / "out.onnx", Reader(name))
        return onnx.load(tmp_path / "out.onnx"), quantizer.result["warnings"]
    return quantized


def kinds(model):
    return [node.op_type for node in model.graph.node]


@pytest.mark.parametrize("name, there_db, here_db", [("shift_cut_conv", 7, 90), ("shift_bias_leaky", 33, 37)])
def test_scales_move_under_floats_not_under_codes(stored, written, name, there_db, here_db):
    """npu.md: weights grow 256-fold there, and the bias is halved."""
    assert sqnr_db(name, stored(name)) < there_db
    assert sqnr_db(name, written(name)[0]) >= here_db


def factors(model):
    constants = graph_goldens.constants(model)
    return [constants[node.input[1]].item() for node in model.graph.node if node.op_type == "Mul"]


@pytest.mark.parametrize("name, pools, here_db", [("gap_large", ["AveragePool", "GlobalAveragePool"], 30), ("reduce_mean_last", ["ReduceMean"], 37)])
def test_the_shape_of_a_graph_input_is_known(stored, written, name, pools, here_db):
    """Pools of inputs are split and have the DPU's factors; there they have neither."""
    assert "Mul" not in kinds(stored(name)) and "AveragePool" not in kinds(stored(name))
    model = written(name)[0]
    assert [kind for kind in kinds(model) if kind in pools] == pools and len(factors(model)) == len(pools)
    assert sqnr_db(name, model) >= here_db


def test_mean_and_variance_have_no_codes(stored, written):
    """A BatchNormalization of a graph input is a Conv here, there all five inputs have 8 bits."""
    assert "BatchNormalization" in kinds(stored("bn_alone"))
    model = written("bn_alone")[0]
    assert "BatchNormalization" not in kinds(model) and sqnr_db("bn_alone", model) >= 31


@pytest.mark.parametrize("name, node", [("hardsigmoid_range", "hardsigmoid_s"), ("hardsigmoid_small", "hardsigmoid_s")])
def test_what_the_device_takes_away_is_told(stored, written, name, node):
    """No more is lost than there, node and limit are named, and without the limit it is not lost."""
    model, told = written(name)
    assert any(f"HardSigmoid '{node}': the NPU takes no scale" in warning for warning in told), told
    assert sqnr_db(name, model) >= sqnr_db(name, stored(name)) - 0.1
    assert sqnr_db(name, written(name, AdjustHardSigmoid=False, NPULimitationCheck=False)[0]) >= 25


@pytest.mark.parametrize("raw", [True, False])
def test_positions_of_scales_in_raw_bytes_move(tmp_path, raw):
    """xint8_adjust; there only scales that are stored as numbers move. A sum whose inputs are 10 positions apart reads them at most 7 apart."""
    def scale(name, position):
        value = np.array(2.0**-position, np.float32)
        return numpy_helper.from_array(value, name) if raw else helper.make_tensor(name, onnx.TensorProto.FLOAT, [], [value.item()])

    def pair(tensor):
        return [helper.make_node("QuantizeLinear", [tensor, f"{tensor}_s", "z"], [f"{tensor}_q"], name=f"{tensor}_Q"),
                helper.make_node("DequantizeLinear", [f"{tensor}_q", f"{tensor}_s", "z"], [f"{tensor}_d"], name=f"{tensor}_D")]

    value = functools.partial(helper.make_tensor_value_info, elem_type=onnx.TensorProto.FLOAT, shape=[1, 8])
    nodes = [*pair("a"), *pair("b"), helper.make_node("Add", ["a_d", "b_d"], ["sum"], name="n_sum"), *pair("sum")]
    constants = [numpy_helper.from_array(np.array(0, np.int8), "z"), scale("a_s", 10), scale("b_s", 0), scale("sum_s", 0)]
    graph = helper.make_graph(nodes, "sum", [value("a"), value("b")], [value("sum_d")], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "sum.onnx")
    assert onnx.load(tmp_path / "sum.onnx").graph.initializer[1].HasField("raw_data") == raw
    preon.passes(tmp_path / "sum.onnx", tmp_path / "out.onnx", list={"passes": {"onnx_xint8_adjust": {}}})
    made = onnx.load(tmp_path / "out.onnx")
    found = graph_goldens.constants(made)
    positions = {node.name: -np.log2(found[node.input[1]].item()) for node in made.graph.node if node.name.endswith(("_Q", "_D"))}
    assert positions == {"a_Q": 7, "a_D": 7, "b_Q": 0, "b_D": 0, "sum_Q": 0, "sum_D": 0}
