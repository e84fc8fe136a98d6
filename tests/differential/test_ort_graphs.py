"""Target ort against ONNX Runtime's own quantize_static, run here: the same quantizers on the same tensors, scales within one ulp, zero
points and codes equal; what is different on purpose is a table in ort_graphs.py."""
import itertools
import json

import numpy as np
import onnx
import ort_graphs
import pytest
from ort_graphs import Setting

MODELS = ["lenet_mnist", "resnet20_cifar10", "ultraface_rfb_320", "sst2_transformer", "vit_cifar10_ibp_3_3_8", "dtln_model_1"]
LARGER = ["ppocr_v3_det", "mobilenetv2_1.0", "yolox_nano", "super_resolution_10", "chargpt_shakespeare", "resnet50v2_stage3_probe"]
SETTINGS = [Setting(*values) for values in itertools.product(["int8", "uint8", "int16", "uint16"], ["int8", "uint8", "int16"],
                                                            [False, True], [False, True])]
BOTH = [setting for setting in SETTINGS if not setting.refused]


def covering(models, settings):
    """Few (model, setting) in which every two values of model, types, granularity and symmetry meet."""
    def pairs(model, setting):
        values = (model, setting.activation, setting.weight, setting.per_channel, setting.symmetric)
        return set(itertools.combinations(enumerate(values), 2))

    left = [(model, setting, pairs(model, setting)) for model in models for setting in settings]
    wanted, chosen = set().union(*(met for *_, met in left)), []
    while wanted:
        best = max(left, key=lambda entry: len(entry[2] & wanted))
        wanted -= best[2]
        chosen.append(best[:2])
    return chosen


def key(name, value, **rest):
    """An extra option that is a key of ours."""
    return Setting(extra={name: value}, ours=("--option", f"{name}={value if isinstance(value, str) else json.dumps(value)}"), **rest)


OPTIONS = [
    key("QuantizeBias", False), key("DedicatedQDQPair", True), key("AddQDQPairToWeight", True), key("QDQKeepRemovableActivations", True),
    key("ForceQuantizeNoInputCheck", True), key("MinimumRealRange", 3.0), key("WeightSymmetric", False), key("WeightSymmetric", True, weight="uint8"),
    Setting(extra={"CalibTensorRangeSymmetric": True, "QDQKeepRemovableActivations": True},   # else that tool loses clamps
            ours=("--option", "CalibTensorRangeSymmetric=true", "--option", "QDQKeepRemovableActivations=true")), key("OpTypesToExcludeOutputQuantization", ["Conv", "MatMul", "Gemm"]), key("UseQDQContribOps", True),
    key("QDQOpTypePerChannelSupportToAxis", {"BatchNormalization": 0, "MatMul": 1}, per_channel=True), key("QDQDisableWeightAdjustForInt32Bias", True),
    Setting(extra={"CalibMovingAverage": True}, ours=("--method-option", "CalibMovingAverage=true")),
    Setting(extra={"MatMulConstBOnly": True}),   # which that quantizer ignores in QDQ format
    Setting(arguments={"reduce_range": True}, ours=("--reduce-range",)),
    Setting(arguments={"reduce_range": True}, ours=("--reduce-range",), activation="uint16", weight="uint8", per_channel=True),
    Setting(arguments={"op_types_to_quantize": ["Conv", "MatMul", "Relu"]}, ours=("--option", "OpTypesToQuantize=Conv,MatMul,Relu")),
]


@pytest.fixture(scope="module")
def ranges(tmp_path_factory):
    return tmp_path_factory.mktemp("ranges")


@pytest.fixture
def agree(real_model, tmp_path, monkeypatch, ranges):
    """(model, setting): both tools say the same."""
    def run(name, setting):
        model = real_model(name)
        ort_graphs.on_one_thread(monkeypatch)
        ort_graphs.theirs(model, setting, tmp_path / "theirs.onnx", ranges)
        ort_graphs.ours(model, setting, "ours.onnx")
        found, compared = ort_graphs.differences(tmp_path / "theirs.onnx", model.preon.folder / "ours.onnx")
        surprises = ort_graphs.surprises(name, setting, found)
        assert not surprises, (len(surprises), compared, dict(sorted(surprises.items())[:8]))
    return run


@pytest.mark.parametrize("name, setting", covering(MODELS, BOTH), ids=str)
def test_every_pair_of_values(agree, name, setting):
    agree(name, setting)


@pytest.mark.slow
@pytest.mark.parametrize("setting", BOTH, ids=str)
@pytest.mark.parametrize("name", MODELS + LARGER)
def test_every_setting(agree, name, setting):
    agree(name, setting)


@pytest.mark.parametrize("setting", OPTIONS, ids=str)
@pytest.mark.parametrize("name", ["resnet20_cifar10", "sst2_transformer"])
def test_options(agree, name, setting):
    agree(name, setting)


@pytest.mark.parametrize("name, tensor", [("resnet20_cifar10", "input"), ("sst2_transformer", "logits")])
def test_overrides(agree, name, tensor):
    for theirs, ours in [({"rmin": np.float32(-3), "rmax": np.float32(5)}, {"rmin": -3, "rmax": 5}),
                         ({"quant_type": ort_graphs.TYPES["int16"], "symmetric": True}, {"quant_type": "QInt16", "symmetric": True})]:
        agree(name, Setting(extra={"TensorQuantOverrides": {tensor: [theirs]}},
                            ours=("--option", "TensorQuantOverrides=" + json.dumps({tensor: [ours]}))))


@pytest.mark.parametrize("named", ["nodes_to_exclude", "nodes_to_quantize"])
def test_single_nodes(agree, model_path, named):
    nodes = [node.name for node in onnx.load(model_path("resnet20_cifar10")).graph.node if node.op_type == "Conv"][2:4]
    options = [f"--exclude={node}" for node in nodes] if named == "nodes_to_exclude" else ["--option", "NodesToQuantize=" + ",".join(nodes)]
    agree("resnet20_cifar10", Setting(arguments={named: nodes}, ours=tuple(options)))


def test_where_the_other_tool_fails_at_run_time(real_model):
    """Channels of a convolution along the wrong axis: one scale, a warning, and a model that runs."""
    model = real_model("resnet20_cifar10")
    done = model.preon("quantize", model.path, "-o", "ours.onnx", "--data", "calib.npz", "--target", "ort", "--option", 'QDQOpTypePerChannelSupportToAxis={"Conv": 1}')
    assert done.returncode == 0 and "QDQOpTypePerChannelSupportToAxis" in done.stdout, done.stdout + done.stderr


def test_where_the_other_tool_refuses(real_model):
    """int8 activations with uint8 weights: a model that runs."""
    ort_graphs.ours(real_model("lenet_mnist"), Setting("int8", "uint8"), "ours.onnx")
