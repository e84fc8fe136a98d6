"""`preon report`: one page that loads nothing, the same as JSON and text."""
import base64
import html.parser
import json
import shlex

import numpy as np
import onnx
import PIL.Image
import pytest

from test_nothing_to_gain import table

SAMPLES = 40


class Page(html.parser.HTMLParser):
    """Elements that are open, addresses, and the text of the element `data`."""

    EMPTY = {"meta", "img", "input", "line", "rect", "path", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.addresses, self.data, self.headings, self.in_data = [], [], "", [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        self.in_data = ("id", "data") in attributes
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open.pop() == tag
        self.in_data = False

    def handle_data(self, text):
        if self.in_data:
            self.data += text
        if self.open and self.open[-1] == "h2":
            self.headings.append(text)


def report(preon, *arguments):
    done = preon("report", *arguments, "--latency", 0, "--json", "--quiet", timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.thorough
def test_page_and_json_are_the_same(preon, filter_bank):
    result = report(preon, "model.onnx", "-o", "r.html", "--data", "x.npy", "--method", "minmax")
    text = (preon.folder / "r.html").read_text()
    page = Page(text)
    assert page.open == [] and len(text) <= 2_000_000
    assert all(address.startswith(("#", "data:")) for address in page.addresses) and "http" not in text.replace("http-equiv", "")
    assert json.loads(page.data) == result
    for heading in ("Verdict", "Figures", "Layers", "Samples that change most", "Histograms", "Environment", "How to reproduce"):
        assert heading in page.headings
    assert text.count("Error against size") == 1 and any(model["on_front"] for model in result["validate"]["models"])
    assert result["validate"]["verdict"] in ("ship", "adjust", "escalate")
    assert {layer["node"] for layer in result["sensitivity"]["layers"]} >= {"bank"}
    assert result["analysis"]["tensors"]
    changed = [sample["sqnr_db"] for sample in result["most_changed"]]
    assert len(changed) == 8 and changed == sorted(changed)
    again = shlex.split(result["command"])
    assert again[:3] == ["preon", "report", "model.onnx"] and "minmax" in again
    assert preon(*again[1:], "--quiet").returncode == 0


@pytest.mark.thorough
def test_pictures_of_a_folder_are_shown(preon, filter_bank):
    random = np.random.default_rng(6)
    (preon.folder / "pictures").mkdir()
    for index in range(SAMPLES):
        pixels = random.integers(0, 256, size=(64, 64), dtype=np.uint8)
        PIL.Image.fromarray(pixels).save(preon.folder / "pictures" / f"{index}.png")
    result = report(preon, "model.onnx", "-o", "r.html", "--data", "pictures", "--preprocess", "unit", "--method", "minmax")
    shown = [address for address in Page((preon.folder / "r.html").read_text()).addresses if address.startswith("data:image/png")]
    names = [sample["sample"] for sample in result["most_changed"]]
    assert len(shown) == len(names) and all(
        base64.b64decode(picture.split(",")[1]) == (preon.folder / name).read_bytes() for picture, name in zip(shown, names))


@pytest.mark.thorough
def test_text_and_a_given_model(preon, filter_bank):
    assert preon("quantize", "model.onnx", "-o", "q.onnx", "--data", "x.npy", "--effort", "fast").returncode == 0
    done = preon("report", "model.onnx", "q.onnx", "-o", "r.txt", "--data", "x.npy", "--latency", 0, timeout=300)
    assert done.returncode == 0, done.stderr
    written = (preon.folder / "r.txt").read_text()
    for part in ("verdict", "samples that change most", "Conv 'bank'", "processor", "preon report model.onnx q.onnx",
                 "these layers are of preon's own quantization of model.onnx, not of q.onnx, which the verdict is about"):
        assert part in done.stdout and part in written


def test_a_target_without_statistics_has_no_layers(preon):
    random = np.random.default_rng(4)
    weight = onnx.numpy_helper.from_array(random.normal(size=(256, 256)).astype(np.float32), "w")
    product = onnx.helper.make_node("MatMul", ["x", "w"], ["y"], "product")
    values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["N", 256]) for name in "xy"]
    graph = onnx.helper.make_graph([product], "g", values[:1], values[1:], [weight])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), preon.folder / "product.onnx")
    np.save(preon.folder / "x.npy", random.normal(size=(40, 256)).astype(np.float32))
    result = report(preon, "product.onnx", "--data", "x.npy", "--target", "dynamic")
    assert "sensitivity" not in result and "dynamic" in result["why_no_sensitivity"] and "analysis" not in result


@pytest.mark.thorough
def test_layers_of_a_target_that_quantize_does_not_write_are_told_as_such(preon):
    table(preon)
    result = report(preon, "model.onnx", "-o", "r.html", "--data", "calib.npz")
    assert result["validate"]["judged"] == "as given, target dynamic"
    scope = result["sensitivity"]["scope"]
    assert scope.startswith("these layers are of target ort-cpu, but quantize writes target dynamic here, because with target ort-cpu no node")
    assert "no figures of its layers" in scope and scope in (preon.folder / "r.html").read_text()


def test_what_it_needs(preon, filter_bank):
    preon.fails(2, 1003, "report", "model.onnx", "-o", "r.html", says="--data")
    preon.fails(2, 1002, "report", "model.onnx", "-o", "r.pdf", "--data", "x.npy", says=".html")
    preon.fails(2, 1001, "report", "model.onnx", "--data", "x.npy", "--confrim", 3, says="did you mean '--confirm'?")


def test_a_file_of_statistics_has_a_page_too(preon, model, data):
    assert preon("calibrate", model, "-o", "model.calib", "--data", data).returncode == 0
    for name in ("page.html", "page.json", "page.txt"):
        done = preon("report", "model.calib", "-o", name)
        assert done.returncode == 0, done.stderr
    page = (preon.folder / "page.html").read_text()
    assert all(address.startswith("#") for address in Page(page).addresses) and "r1" in page
    assert "input" in json.loads((preon.folder / "page.json").read_text())["tensors"]
    told = json.loads(preon("report", "model.calib", "--json").stdout)
    assert told["verb"] == "report" and "input" in told["tensors"]
    preon.fails(2, 1004, "report", "model.calib", "-o", "new.html", "--data", data, says="--data: has no effect with model.calib")
    preon.fails(2, 1004, "report", model, "model.calib", "-o", "new.html", "--data", data, says="model.calib: is a file of statistics")


def test_a_saved_result_has_a_page_with_all_of_it(preon, model, data):
    done = preon("quantize", model, "-o", "q.onnx", "--data", data, "--always-write", "--latency", 0, "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    result["warnings"].append("<b>bold</b> & \u2013")
    (preon.folder / "result.json").write_text(json.dumps(result))
    for name in ("page.html", "page.txt", "page.json"):
        done = preon("report", "result.json", "-o", name)
        assert done.returncode == 0, done.stderr
    text = (preon.folder / "page.html").read_text()
    page = Page(text)
    assert page.open == [] and page.addresses == [] and "<b>bold" not in text
    assert json.loads(page.data)["result"] == result == json.loads((preon.folder / "page.json").read_text())["result"]
    assert page.headings[0] == "values" and "<h1>Result of quantize</h1>" in text and "compare.outputs" in page.headings
    told = (preon.folder / "page.txt").read_text()
    (output, figures), = result["compare"]["outputs"].items()
    assert f"name {output}  sqnr_db {figures['sqnr_db']:.4g}" in told and f"  placement.integer_macs_share  {result['placement']['integer_macs_share']:.4g}\n" in told


def test_what_is_no_result_is_refused(preon, model, data):
    def refused(text, says):
        (preon.folder / "result.json").write_text(text)
        preon.fails(2, 3016, "report", "result.json", "-o", "new.html", says=says)
        assert not (preon.folder / "new.html").exists()

    refused("{}", "result.json: is not a result of preon")
    refused("[1", "result.json: not JSON: line 1, column 3")
    refused("[" * 100 + "]" * 100, "more than 64 nested levels")
    refused('{"schema": 9, "verb": "compare"}', "schema 9; this version reads 2")
    refused('{"schema": 2, "error": {"id": "E2001", "status": 2, "message": "a.onnx: no such file"}}', "holds an error, no result: a.onnx: no such file")
    (preon.folder / "result.json").write_text('{"schema": 2, "verb": "compare"}')
    preon.fails(2, 1004, "report", "result.json", "--data", data, says="--data: has no effect with result.json")
    preon.fails(2, 1004, "report", model, "result.json", "-o", "new.html", says="result.json: is a result")


def test_entries_that_share_no_keys_are_shown_as_json(preon):
    methods = [{f"key{i}": i} for i in range(200)]
    (preon.folder / "result.json").write_text(json.dumps({"schema": 2, "verb": "ranges", "methods": methods, "odd": [{"a": 1}, 2, {"a": {"b": [1, 2]}}], "empty": [{}, {}]}))
    assert preon("report", "result.json", "-o", "odd.html").returncode == 0
    told = preon("report", "result.json").stdout
    assert 'name 199  entry {"key199":199}' in told and "  a 1\n" in told and "a.b 1, 2" in told
