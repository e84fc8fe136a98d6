"""Shards, merge order, threads and batches leave no trace in a .calib file; the sampled mode stays close to the exact one."""
import itertools

import pytest

MODELS = ["resnet20_cifar10", "sst2_transformer", pytest.param("ultraface_rfb_320", marks=pytest.mark.slow)]


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODELS)
def test_shards_in_any_order_are_one_run(preon, real_model, name):
    model = real_model(name)
    whole = (preon.folder / model.calibrate("whole.calib")).read_bytes()
    parts = [model.calibrate(f"part{i}.calib", "--shard", f"{i}/4") for i in (1, 2, 3, 4)]
    for order in list(itertools.permutations(parts))[::5]:
        assert preon("merge", *order, "-o", "merged.calib").returncode == 0
        assert (preon.folder / "merged.calib").read_bytes() == whole, order
    # Merged step by step, the bytes are the same.
    assert preon("merge", parts[2], parts[0], "-o", "a.calib").returncode == 0
    assert preon("merge", parts[1], parts[3], "-o", "b.calib").returncode == 0
    assert preon("merge", "b.calib", "a.calib", "-o", "merged.calib").returncode == 0
    assert (preon.folder / "merged.calib").read_bytes() == whole
    data = ("--data", "calib.npz")
    # auto tries its methods on samples, so it needs them both times; a method of its own does not.
    assert model.quantize("merged.onnx", "--calib", "merged.calib", *data) == model.quantize("whole.onnx", *data)
    method = ("--method", "percentile", "--effort", "fast")  # codes need samples at default effort
    assert model.quantize("merged.onnx", "--calib", "merged.calib", *method) == model.quantize("whole.onnx", *data, *method)


def test_merge_refuses_what_does_not_belong_together(preon, real_model):
    model, other = real_model("resnet20_cifar10"), real_model("super_resolution_10")
    other.calibrate("other.calib")
    real_model("resnet20_cifar10")  # its samples again
    one, exact = model.calibrate("one.calib"), model.calibrate("exact.calib", "--exact")
    preon.fails(2, 3013, "merge", one, "other.calib", "-o", "merged.calib", says="another model")
    preon.fails(2, 3013, "merge", one, one, "-o", "merged.calib", says="seen twice")
    preon.fails(2, 3013, "merge", one, exact, "-o", "merged.calib", says="other options")


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODELS)
def test_threads_do_not_matter(preon, real_model, name):
    model = real_model(name)
    files = [(preon.folder / model.calibrate(f"t{threads}.calib", "--threads", threads)).read_bytes() for threads in (1, 2)]
    assert files[0] == files[1]
    models = [model.quantize(f"t{threads}.onnx", "--data", "calib.npz", "--threads", threads) for threads in (1, 2)]
    assert models[0] == models[1]


@pytest.mark.parametrize("name", ["mobilenetv2_1.0", *MODELS])
def test_sampled_mode_stays_close_to_exact_mode(real_model, name):
    """docs/methods/percentile.md: within a bin where the threshold is above half of max|x|, else within 15 % of the range."""
    model = real_model(name)
    sampled, exact = model.calibrate("sampled.calib"), model.calibrate("exact.calib", "--exact")
    extremes = model.ranges(exact, "minmax")
    assert model.ranges(sampled, "minmax") == extremes
    in_the_bulk = 0
    for percentile in (99.999, 99.99, 99.9, 99):
        got, wanted = (model.ranges(calib, "percentile", Percentile=percentile) for calib in (sampled, exact))
        for tensor, entry in wanted.items():
            if reach(entry) >= reach(extremes[tensor]) / 2:
                bin_width = reach(extremes[tensor]) / 2048  # the widest a sketch has
                for end in ("min", "max"):
                    assert abs(got[tensor][end] - entry[end]) <= bin_width, (tensor, percentile, end)
                continue
            in_the_bulk += 1
            for end in ("min", "max"):
                assert abs(got[tensor][end] - entry[end]) <= 0.15 * (entry["max"] - entry["min"]), (tensor, percentile, end)
    assert in_the_bulk > 0


def reach(entry):
    return max(-entry["min"], entry["max"])
