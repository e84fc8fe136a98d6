"""fake_quant.py, which `preon export-qat` writes, in PyTorch: it rounds as the quantized model does, and what it trains comes back better.

Needs torch and onnx2torch (and qonnx for one test), which are no dependencies of preon; skipped without.
"""
import importlib.util
import json

import numpy as np
import onnx
import onnxruntime
import pytest

import data_root

torch = pytest.importorskip("torch")
pytest.importorskip("onnx2torch")
import exact_pairs  # noqa: E402
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

ROOT = data_root.data_root()
CIFAR = (np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32))


def cifar(name):
    path = ROOT / "images" / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    records = np.fromfile(path, np.uint8).reshape(-1, 3073)
    mean, deviation = (each[:, None, None] for each in CIFAR)
    return ((records[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32) / 255 - mean) / deviation).astype(np.float32), records[:, 0].astype(np.int64)


def imagenet(count):
    image = pytest.importorskip("PIL.Image")
    paths = sorted((ROOT / "images/imagenet224").glob("*.jpg"))[:count]
    if not paths:
        pytest.skip(f"{ROOT}/images/imagenet224 is not there")
    mean, deviation = (each[:, None, None] for each in CIFAR)
    pictures = np.stack([np.asarray(image.open(path).convert("RGB"), np.float32).transpose(2, 0, 1) / 255 for path in paths])
    return ((pictures - mean) / deviation).astype(np.float32)


def run(preon, *arguments):
    done = preon(*arguments, timeout=900)
    assert done.returncode == 0, done.stderr
    return done


def loader(folder):
    """The folder's fake_quant.py as a module. Operators can be registered once, so it is loaded once."""
    if not hasattr(loader, "module"):
        spec = importlib.util.spec_from_file_location("fake_quant", folder / "fake_quant.py")
        loader.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loader.module)
    return loader.module


def top_classes(model, inputs, dtype, batch=50):
    with torch.no_grad():
        return torch.cat([model(torch.from_numpy(inputs[i:i + batch]).to(dtype)).argmax(1) for i in range(0, len(inputs), batch)]).numpy()


def top_classes_of_runtime(path, inputs, batch=50):
    session = onnxruntime.InferenceSession(path)
    name = session.get_inputs()[0].name
    return np.concatenate([session.run(None, {name: inputs[i:i + batch]})[0].argmax(1) for i in range(0, len(inputs), batch)])


@pytest.mark.parametrize("name", ["resnet20_cifar10", "mobilenetv2_1.0"])
def test_pytorch_rounds_as_the_quantized_model(preon, name, record_property):
    """Both in double: in single precision, sums in another order already move some codes by one."""
    model = ROOT / "models" / f"{name}.onnx"
    inputs = cifar("cifar10_test_jpegq75_dev2000.bin")[0] if name.startswith("resnet") else imagenet(200)
    np.savez(preon.folder / "x.npz", inputs[:64])
    samples = preon.folder / "x.npz"
    run(preon, "quantize", model, "-o", "q.onnx", "--data", samples, "--effort", "fast", "--always-write", "--latency", 0)
    run(preon, "export-qat", "q.onnx", "-o", "training", "--float-model", model)
    fake = loader(preon.folder / "training").load(preon.folder / "training").double()
    ours = top_classes(fake, inputs, torch.float64)
    exact = exact_pairs.top_classes(preon.folder / "q.onnx", inputs)
    agreement = (ours == exact).mean()
    record_property("agreement", agreement)
    record_property("agreement_with_runtime", (top_classes(fake.float(), inputs, torch.float32) == top_classes_of_runtime(preon.folder / "q.onnx", inputs)).mean())
    assert agreement >= 0.999


def test_qonnx_reads_the_model(preon, model):
    execution = pytest.importorskip("qonnx.core.onnx_exec")
    wrapper = pytest.importorskip("qonnx.core.modelwrapper")
    shapes = pytest.importorskip("qonnx.transformation.infer_shapes")
    run(preon, "quantize", model, "-o", "q.onnx", "--data", "random:8", "--fix-shape", "input=1x3x8x8", "--effort", "fast", "--always-write", "--latency", 0)
    run(preon, "export-qat", "q.onnx", "-o", "training", "--float-model", model)
    wrapped = wrapper.ModelWrapper(str(preon.folder / "training/qonnx.onnx")).transform(shapes.InferShapes())
    x = np.random.default_rng(1).normal(size=[1, 3, 8, 8]).astype(np.float32)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(preon.folder / "q.onnx", options)
    name = session.get_inputs()[0].name
    wanted = session.run(None, {name: x})[0]
    got = execution.execute_onnx(wrapped, {name: x})[session.get_outputs()[0].name]
    step = np.abs(np.diff(np.unique(wanted))).min()
    assert (np.abs(got - wanted) < step / 2).mean() > 0.99


def test_a_step_below_zero_leaves_scales_that_can_be_read(preon, model, data):
    run(preon, "quantize", model, "-o", "q.onnx", "--data", data, "--effort", "fast", "--always-write", "--latency", 0)
    run(preon, "export-qat", "q.onnx", "-o", "training", "--float-model", model)
    module = loader(preon.folder / "training")
    fake = module.load(preon.folder / "training")
    scales = [value for name, value in fake.named_parameters() if name.endswith("scale")]
    before = [scale.detach().clone() for scale in scales]
    with torch.no_grad():
        for scale in scales:
            scale -= 2 * scale
    assert all(torch.isfinite(fake(torch.ones(1, 3, 8, 8))).flatten())
    module.save(fake, preon.folder / "trained", preon.folder / "training")
    stored = json.loads((preon.folder / "trained/encodings.json").read_text())["encodings"]
    assert all(np.min(entry["y_scale"]) > 0 for entry in stored if "y_scale" in entry) and before
    run(preon, "quantize", "trained/model.onnx", "--encodings", "trained/encodings.json", "-o", "back.onnx", "--always-write", "--latency", 0)


def train(model, inputs, labels, epochs=2, batch=50):
    """Adam, cosine, flips: nothing of it was chosen by the samples that judge."""
    torch.manual_seed(0)
    trained = {kind: [value for name, value in model.named_parameters() if value.requires_grad and name.endswith("scale") == kind] for kind in (False, True)}
    optimizer = torch.optim.Adam(trained[False] + trained[True], lr=3e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * len(inputs) // batch)
    for _ in range(epochs):
        order = torch.randperm(len(inputs))
        for start in range(0, len(inputs), batch):
            some = order[start:start + batch]
            pictures = torch.from_numpy(inputs)[some]
            flipped = torch.rand(len(some)) < 0.5
            pictures[flipped] = pictures[flipped].flip(3)
            loss = torch.nn.functional.cross_entropy(model(pictures), torch.from_numpy(labels)[some])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()


def test_three_bits_trained_for_two_epochs_are_better_than_calibrated(preon, record_property):
    model = ROOT / "models/resnet20_cifar10.onnx"
    inputs, labels = cifar("cifar10_train_lossless_dev1000.bin")
    unseen, classes = cifar("cifar10_test_jpegq75_dev2000.bin")
    np.savez(preon.folder / "x.npz", inputs)
    run(preon, "quantize", model, "-o", "calibrated.onnx", "--data", "x.npz", "--weight", "int3", "--target", "ort", "--always-write", "--latency", 0)
    run(preon, "export-qat", "calibrated.onnx", "-o", "training", "--float-model", model)
    fake_quant = loader(preon.folder / "training")
    fake = fake_quant.load(preon.folder / "training")
    train(fake, inputs, labels)
    fake_quant.save(fake, preon.folder / "trained", preon.folder / "training")
    run(preon, "quantize", "trained/model.onnx", "--encodings", "trained/encodings.json", "-o", "trained.onnx", "--target", "ort", "--always-write", "--latency", 0)
    accuracy = {name: (top_classes_of_runtime(path, unseen) == classes).mean()
                for name, path in (("float", model), ("calibrated", preon.folder / "calibrated.onnx"), ("trained", preon.folder / "trained.onnx"))}
    for name, share in accuracy.items():
        record_property(name, share)
    assert accuracy["trained"] > accuracy["calibrated"], accuracy
    assert abs((top_classes(fake, unseen, torch.float32) == classes).mean() - accuracy["trained"]) < 0.005, "what came back is what was trained"
    assert onnx.load(preon.folder / "trained.onnx").graph.node
