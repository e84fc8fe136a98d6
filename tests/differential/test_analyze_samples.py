"""preon analyze on what single samples do: the same figures from the values themselves, an injected outlier, strata, and a
second calibration over the samples of the cover."""
import json

import data_root
import numpy as np
import pytest
from PIL import Image

DATA = data_root.data_root()


def per_sample(model, *options):
    model.calibrate("p.calib", "--per-sample", *options)
    return model.json("analyze", "p.calib")


@pytest.fixture(params=["mobilenetv2_1.0", *(pytest.param(name, marks=pytest.mark.slow) for name in ("sst2_transformer", "resnet20_cifar10"))])
def analyzed(request, real_model):
    model = real_model(request.param)
    return model, per_sample(model)


def test_drivers_are_the_samples_with_the_extremes(analyzed):
    """Calibrated one sample at a time, the extremes say who gave those of all."""
    model, analysis = analyzed
    count = len(next(iter(model.samples.values())))
    single = []
    for sample in range(count):
        (model.preon.folder / "only.txt").write_text(f"{sample}\n")
        model.calibrate("one.calib", "--only", "only.txt")
        single.append(model.json("inspect", "one.calib")["tensors"])
    checked = 0
    for name, entry in analysis["tensors"].items():
        for side, pick in (("min", min), ("max", max)):
            ends = [pick(one[name][side], 0) for one in single]
            driver = entry["per_sample"][side]
            if pick(ends) == 0:
                assert driver is None, name
                continue
            assert ends.index(pick(ends)) == driver["sample"], name
            assert ends.count(pick(ends)) == driver["reached_by"], name
            assert driver["name"] == f"calib.npz[{driver['sample']}]"
            others = ends[:driver["sample"]] + ends[driver["sample"] + 1:]
            assert driver["without"] == pytest.approx(pick(others), rel=1e-6), name
            checked += 1
    assert checked >= 10


def reaches(part, whole, tolerance):
    for name, full in whole.items():
        low, high = min(full["min"], 0), max(full["max"], 0)
        slack = tolerance * (high - low) * (1 + 1e-6)
        if max(part[name]["max"], 0) < high - slack or min(part[name]["min"], 0) > low + slack:
            return False
    return True


def many_samples(model, photo_strata, many_sentences):
    """More of them than the other tests need, so that there is something to leave out."""
    if "input_ids" in model.samples:
        return many_sentences
    return {name: np.concatenate([photo_strata["dark"][:12], photo_strata["contrast"][:12]]) for name in model.samples}


@pytest.mark.parametrize("tolerance", ["0.01", "0.1"])
@pytest.mark.parametrize("name", ["mobilenetv2_1.0", pytest.param("resnet50v2_stage3_probe", marks=pytest.mark.slow), "sst2_transformer"])
def test_the_cover_alone_reaches_the_ranges(real_model, photo_strata, many_sentences, name, tolerance):
    model = real_model(name)
    np.savez(model.preon.folder / "calib.npz", **many_samples(model, photo_strata, many_sentences))
    model.calibrate("p.calib", "--per-sample")
    analysis = model.json("analyze", "p.calib", "--tolerance", tolerance, "--cover", "cover.txt")
    cover = analysis["summary"]["per_sample"]["cover"]["samples"]
    listed = [line for line in (model.preon.folder / "cover.txt").read_text().splitlines() if line[0] != "#"]
    assert listed == [f"{sample['sample']}\t{sample['name']}" for sample in cover]
    assert 1 <= len(cover) < analysis["summary"]["samples"]

    whole = model.json("inspect", "p.calib")["tensors"]
    model.calibrate("cover.calib", "--only", "cover.txt")
    assert reaches(model.json("inspect", "cover.calib")["tensors"], whole, float(tolerance))
    # The test can fail: without one of them, something is missing.
    if len(listed) > 1:
        (model.preon.folder / "fewer.txt").write_text("\n".join(listed[1:]))
        model.calibrate("fewer.calib", "--only", "fewer.txt")
        assert not reaches(model.json("inspect", "fewer.calib")["tensors"], whole, float(tolerance))


@pytest.mark.parametrize("name", ["mobilenetv2_1.0", "sst2_transformer", "super_resolution_10"])
def test_any_threads_batches_shards_and_order_give_the_same_bytes(real_model, name):
    model = real_model(name)
    whole = (model.preon.folder / model.calibrate("a.calib", "--per-sample", "--threads", "1")).read_bytes()
    assert whole == (model.preon.folder / model.calibrate("b.calib", "--per-sample", "--threads", "2")).read_bytes()
    for shard in (1, 2):
        model.calibrate(f"s{shard}.calib", "--per-sample", "--shard", f"{shard}/2")
    assert model.preon("merge", "s2.calib", "s1.calib", "-o", "m.calib").returncode == 0
    assert (model.preon.folder / "m.calib").read_bytes() == whole
    # Without, the file is what it was before; with, it has that in it.
    plain = (model.preon.folder / model.calibrate("plain.calib")).read_bytes()
    assert whole.startswith(plain[:-64]) and b"calib.npz[0]" in whole and b"calib.npz[0]" not in plain


@pytest.fixture
def strata_folders(preon):
    """imagenet224 in two folders: darkened, and with raised contrast."""
    paths = sorted((DATA / "images/imagenet224").glob("*.jpg"))[:16]
    if not paths:
        pytest.skip(f"{DATA}/images is not there (./dev data fetches it)")
    for name, change in (("dark", lambda x: x * 0.25), ("contrast", lambda x: np.clip((x - 115) * 2.5 + 115, 0, 255))):
        (preon.folder / "photos" / name).mkdir(parents=True)
        for path in paths:
            pixels = np.asarray(Image.open(path).convert("RGB"), np.float32)
            Image.fromarray(change(pixels).astype(np.uint8)).save(preon.folder / "photos" / name / f"{path.stem}.png")
    return preon.folder / "photos"


def calibrate_photos(model, output="p.calib"):
    done = model.preon("calibrate", model.path, "-o", output, "--data", "photos", "--preprocess", "imagenet",
                       "--per-sample", timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.thorough
def test_strata_in_one_run(real_model, strata_folders):
    model = real_model("mobilenetv2_1.0")
    calibrate_photos(model)
    analysis = model.json("analyze", "p.calib", "--group-by", "folder")
    groups, tensors = analysis["summary"]["per_sample"]["groups"], analysis["tensors"]
    assert list(groups) == ["contrast", "dark"] and [group["samples"] for group in groups.values()] == [16, 16]
    # Left out, the dark photos would hardly be missed, the others would: first of all by the input.
    assert groups["dark"]["missed_without"] < groups["contrast"]["missed_without"] >= 10
    assert groups["contrast"]["least_covered"] < 0.5
    view = tensors["input"]["per_sample"]["groups"]
    assert view["contrast"]["covered_by_others"]["max"] < 0.2 and view["dark"]["covered_by_others"]["min"] >= 1
    assert view["contrast"]["covers_all"]["max"] == 1

    # The same as two runs tell, each by itself.
    for name in groups:
        done = model.preon("calibrate", model.path, "-o", f"{name}.calib", "--data", f"photos/{name}", "--preprocess", "imagenet")
        assert done.returncode == 0, done.stderr
    alone = {name: model.json("analyze", f"{name}.calib")["tensors"] for name in groups}
    against = model.json("analyze", "dark.calib", "--production", "contrast.calib")["tensors"]
    for name, entry in tensors.items():
        for group, found in entry["per_sample"]["groups"].items():
            assert found["min"] == min(alone[group][name]["min"], 0), (name, group)
            assert found["max"] == max(alone[group][name]["max"], 0), (name, group)
            # The median of the samples' percentiles is not the percentile of their values, but of their order.
            assert 0.3 < found["outlier_ratio"] / alone[group][name]["outlier_ratio"] < 3, (name, group)
        covered = entry["per_sample"]["groups"]["contrast"]["covered_by_others"]
        assert covered["max"] == pytest.approx(against[name]["coverage"]), name
        assert covered["min"] == (None if against[name]["coverage_min"] is None else pytest.approx(against[name]["coverage_min"])), name

    text = model.preon("analyze", "p.calib", "--group-by", "folder", "--html", "page.html").stdout
    assert "gaps without it" in text and "* input" in text
    page = (model.preon.folder / "page.html").read_text()
    assert page.count("<figure>") == 2 + 3 + 1  # layers; convergence and strata over them; convergence over samples
    assert "Groups: covered by the others" in page and "http" not in page


@pytest.mark.thorough
def test_an_injected_outlier_is_named(real_model, photo_strata):
    """A photo whose scaling was forgotten."""
    model = real_model("mobilenetv2_1.0")
    photos = photo_strata["dark"].copy()
    photos[17] *= 8
    np.savez(model.preon.folder / "calib.npz", input=photos)
    analysis = per_sample(model)
    found = analysis["summary"]["per_sample"]["drivers"][0]
    assert found["name"] == "calib.npz[17]"
    assert found["extremes"] > 40 and found["shrinks"] > 30
    assert analysis["tensors"]["input"]["per_sample"]["min"]["sample"] == 17
    text = model.preon("analyze", "p.calib").stdout
    first = text.split("samples that set the extremes")[1].splitlines()[2]
    assert first.endswith("17 calib.npz[17]")
    # Without it others drive, and no longer all.
    (model.preon.folder / "others.txt").write_text("".join(f"{sample}\n" for sample in range(24) if sample != 17))
    model.calibrate("others.calib", "--per-sample", "--only", "others.txt")
    others = model.json("analyze", "others.calib")["summary"]["per_sample"]["drivers"]
    assert others[0]["extremes"] < found["extremes"] and "calib.npz[17]" not in [driver["name"] for driver in others]


@pytest.mark.thorough
def test_more_of_the_same_photos_stop_to_help(real_model, photo_strata):
    """Twice the same samples: each extreme comes twice, so that half of them is nearly as good; and one only is not."""
    model = real_model("mobilenetv2_1.0")
    curve = {}
    for times in (1, 6):
        np.savez(model.preon.folder / "calib.npz", input=np.concatenate([photo_strata["dark"][:6]] * times))
        curve[times] = per_sample(model)["summary"]["per_sample"]["convergence"]
    assert curve[1]["more_samples_help"] is True and curve[1]["last_growth"] > 0.03
    assert curve[6]["last_growth"] < 0.2 * curve[1]["last_growth"]
    for found in curve.values():
        assert found["median_share"] == sorted(found["median_share"]) and found["median_share"][-1] == 1


@pytest.mark.parametrize("name", ["resnet50v2_stage3_probe", "yolox_nano", "dtln_model_1", "chargpt_shakespeare"])
def test_every_kind_of_model_is_analyzed(preon, name):
    path = DATA / "models" / f"{name}.onnx"
    if not path.exists():
        pytest.skip(f"{path} is not there (./dev data fetches it)")
    done = preon("calibrate", path, "-o", "p.calib", "--data", "random:5", "--per-sample", timeout=300)
    assert done.returncode == 0, done.stderr
    analysis = json.loads(preon("analyze", "p.calib", "--json").stdout)
    assert analysis["summary"]["per_sample"]["cover"]["samples"] and analysis["summary"]["per_sample"]["drivers"]
    for name, entry in analysis["tensors"].items():
        assert entry["per_sample"]["shares"] == sorted(entry["per_sample"]["shares"]), name
        assert entry["per_sample"]["shares"][-1] == 1, name
