"""preon analyze on two strata of the same photos: darkened for calibration, with raised contrast in production."""
import html.parser

import numpy as np
import onnx
import pytest


class Page(html.parser.HTMLParser):
    """What a page holds, by name; every element that is opened is closed."""
    VOID = {"meta", "input", "line", "path", "rect"}

    def __init__(self, text):
        super().__init__()
        self.open, self.elements = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.VOID or (tag == "rect" and self.get_starttag_text()[-2] != "/"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def strata(real_model, photo_strata):
    """The model with dark.calib and contrast.calib, and what both fed it."""
    model = real_model("mobilenetv2_1.0")
    for name, values in photo_strata.items():
        np.savez(model.preon.folder / "calib.npz", input=values)
        model.calibrate(f"{name}.calib", *(["--exact"] if name == "contrast" else []))
    return model, photo_strata


@pytest.mark.thorough
def test_the_shift_shows_layer_by_layer(strata):
    model, fed = strata
    analysis = model.json("analyze", "dark.calib", "--production", "contrast.calib", "--method", "minmax")
    tensors = analysis["tensors"]

    # In the order in which the model computes them.
    graph = onnx.load(model.path).graph
    place = {name: index for index, name in enumerate(["input", *(output for node in graph.node for output in node.output)])}
    places = [place[name] for name in tensors if name in place]
    assert len(places) > 40 and places == sorted(places)
    assert [entry["layer"] for entry in tensors.values()] == list(range(len(tensors)))

    # Coverage is that of the extremes, of each side.
    dark, contrast = (model.json("inspect", f"{name}.calib")["tensors"] for name in ("dark", "contrast"))
    for name, entry in tensors.items():
        assert entry["coverage"] == pytest.approx(max(dark[name]["max"], 0) / contrast[name]["max"]), name
        below = contrast[name]["min"]
        assert entry["coverage_min"] == (None if below >= 0 else pytest.approx(-dark[name]["min"] / -below)), name

    # What the range of the dark photos would clip of the others, and how far they are apart.
    low, high = min(fed["dark"].min(), 0), max(fed["dark"].max(), 0)
    outside = np.mean((fed["contrast"] < low) | (fed["contrast"] > high))
    shift = tensors["input"]["production"]
    assert 0.2 < outside < 0.8
    assert shift["clipped"] == {"calibration": 0, "production": pytest.approx(outside, abs=0.005)}
    apart = (fed["contrast"].mean(dtype=np.float64) - fed["dark"].mean(dtype=np.float64)) / fed["dark"].std(dtype=np.float64)
    assert shift["mean_shift"] == pytest.approx(apart, rel=1e-3)

    # Contrast hits the first layers; behind the residual blocks the network sees much the same.
    reach = [min(entry["coverage"], entry["coverage_min"] or entry["coverage"]) for entry in tensors.values()]
    assert np.median(reach[:16]) < 0.7 < 0.85 < np.median(reach[-16:])
    gaps = analysis["summary"]["production"]["gaps"]
    assert gaps[0] == "input" and 15 <= len(gaps) < len(tensors)
    assert all(tensors[name]["production"]["gap"] for name in gaps)


@pytest.mark.thorough
def test_the_same_samples_leave_no_gap(strata):
    model, _ = strata
    analysis = model.json("analyze", "contrast.calib", "--production", "contrast.calib")
    assert analysis["summary"]["production"]["gaps"] == []
    for entry in analysis["tensors"].values():
        assert entry["coverage"] == 1
        assert entry["production"]["clipped"]["production"] == entry["production"]["clipped"]["calibration"]
        assert entry["production"]["mean_shift"] == 0


@pytest.mark.thorough
def test_advice_and_thresholds(strata):
    model, fed = strata
    analysis = model.json("analyze", "contrast.calib")
    tensors = analysis["tensors"]
    magnitudes = np.abs(fed["contrast"])
    assert tensors["input"]["outlier_ratio"] == pytest.approx(magnitudes.max() / np.quantile(magnitudes, 0.99), rel=0.01)
    assert "coverage" not in tensors["input"]
    for name, entry in tensors.items():
        # What the outlier ratio calls for, unless the table beside it says that another method has clearly less error.
        ratio, errors = entry["outlier_ratio"], {method: found["error"] for method, found in entry["methods"].items()}
        by_outliers = "minmax" if ratio <= 3 else "percentile" if ratio <= 10 else "layerwise-percentile"
        if entry["method"] == by_outliers and min(errors.values()) >= 0.9 * errors["auto"]:
            continue
        assert errors[entry["method"]] == min(errors.values()) < 0.9 * errors["auto"], name
        assert "least expected error" in entry["reason"]
    assert len({entry["method"] for entry in tensors.values()}) > 1
    # Every method's ranges are those of `ranges`, and taking the advice gives what its row says.
    for method in ("auto", "minmax", "percentile", "minmse", "entropy"):
        for name, chosen in model.ranges("contrast.calib", method).items():
            found = tensors[name]["methods"][method]
            assert (found["min"], found["max"]) == (chosen["min"], chosen["max"]), (method, name)
    advised = {(entry["method"], tuple(entry["method_options"].items())) for entry in tensors.values()}
    for method, options in advised:
        ranges = model.ranges("contrast.calib", method, **dict(options))
        for name, entry in tensors.items():
            if (entry["method"], tuple(entry["method_options"].items())) == (method, options):
                row = entry["methods"][method if "least expected error" in entry["reason"] else "auto"]
                assert ranges[name]["max"] == row["max"], (method, name)


@pytest.mark.thorough
def test_the_page_is_whole_and_loads_nothing(strata):
    model, _ = strata
    done = model.preon("analyze", "dark.calib", "--production", "contrast.calib", "--html", "page.html")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith("dark.calib: ")
    text = (model.preon.folder / "page.html").read_text()
    page = Page(text)
    tensors = model.json("analyze", "dark.calib")["tensors"]
    assert {card["data-name"] for card in page.of("article")} == tensors.keys()
    assert len(page.of("svg")) == len(tensors) + 5  # histograms, and curves over the layers
    targets = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    links = [link["href"] for link in page.of("a")]
    assert links and all(link[0] == "#" and link[1:] in targets for link in links)
    assert not [attributes for _, attributes in page.elements if "src" in attributes]
    assert "http" not in text
    model.preon("analyze", "dark.calib", "--production", "contrast.calib", "--html", "again.html")
    assert (model.preon.folder / "again.html").read_text() == text
