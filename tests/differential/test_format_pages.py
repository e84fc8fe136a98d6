"""The worked examples of docs/formats/: every page's numbers against the operator library, or against ONNX Runtime where it has the type."""
import ast
import os
import pathlib
import re

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build") / "lib/libpreon_ops.so"
PAGES = ROOT / "docs/formats"
TYPES = sorted(path.stem for path in (ROOT / "src/formats/types").glob("*.cc"))
BLOCKS = [name for name in TYPES if name.startswith(("bfp", "mx"))]
INTEGERS = [name for name in TYPES if name.startswith(("int", "uint"))]
EXTENDED = ["int32", "uint32", "float16", "bfloat16"]  # nothing in ONNX quantizes to these
BIAS = {"float16": 15, "bfloat16": 127, "float8e4m3fn": 7, "float8e5m2": 15, "mxfp4e2m1": 1, "mxfp6e2m3": 1, "mxfp6e3m2": 3,
        "mxfp8e4m3": 7, "mxfp8e5m2": 15}


class Page:
    def __init__(self, name):
        self.name, self.text = name, (PAGES / f"{name}.md").read_text()
        rows = re.findall(r"^\| (\S+) \| `([^`]+)` \| (\S+) \|$", self.text, re.M)
        self.x = np.float32([x for x, _, _ in rows])
        self.codes = [code for _, code, _ in rows]
        self.values = np.float32([value for _, _, value in rows])
        assert 4 <= len(rows) <= 8 and "| x | code | value |" in self.text

    def find(self, pattern):
        found = re.findall(pattern, re.sub(r"\s+", " ", self.text))
        assert len(found) == 1, f"{self.name}: {pattern} stands there {len(found)} times"
        return found[0]

    def grid(self):
        scale, zero_point = self.find(r"scale `([^`]+)`, zero point `(-?\d+)`")
        return np.float32(scale), int(zero_point)

    def exponent(self):
        return int(self.find(r"exponent `[ek] = (-?\d+)`"))


def run(nodes, x, constants):
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is not built")
    options = ort.SessionOptions()
    options.register_custom_ops_library(str(LIBRARY))
    info = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"])
    graph = helper.make_graph(nodes, "g", [info("x")], [info("y")], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.amd.quark", 1)], ir_version=10)
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]


def quantized_dequantized(page, x, grid=None):
    if page.name in BLOCKS:
        op, attributes = page.find(r"`(\w+QuantizeDequantize)\(([^`]+)\)`")
        attributes = {key: ast.literal_eval(value) for key, value in re.findall(r'(\w+)=("\w+"|\d+)', attributes)}
        return run([helper.make_node(op, ["x"], ["y"], domain="com.amd.quark", **attributes)], x, [])
    scale, zero_point = grid or page.grid()
    prefix, domain = ("Extended", "com.amd.quark") if page.name in EXTENDED else ("", "")
    kind = TensorProto.DataType.Value(page.name.upper())
    constants = [helper.make_tensor("scale", TensorProto.FLOAT, [], [scale]), helper.make_tensor("zero", kind, [], [zero_point])]
    return run([helper.make_node(prefix + "QuantizeLinear", ["x", "scale", "zero"], ["q"], domain=domain),
                helper.make_node(prefix + "DequantizeLinear", ["q", "scale", "zero"], ["y"], domain=domain)], x, constants)


def extremes_grid(name, low, high):
    """Scale and zero point that cover two floats low and high, in float64; float8: the largest magnitude to the largest code."""
    largest, bits = max(-low, high), int(name.lstrip("uint")) if name in INTEGERS else 0
    if name in EXTENDED and not bits:
        return np.float32(1), 0
    if name.startswith("float8"):
        return np.float32(largest / (448 if name == "float8e4m3fn" else 57344)), 0
    signed = name.startswith("int")
    low, high = (-largest, largest) if signed else (low, high)
    q_min, q_max = (-2 ** (bits - 1) + (bits > 4), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    scale = float(high - low) / (q_max - q_min)
    return np.float32(scale), round(q_min - float(low) / scale)


def mini_float(sign, exponent, mantissa, bias):
    """Of fields in binary digits."""
    hidden, power = (1, int(exponent, 2)) if "1" in exponent else (0, 1)
    magnitude = hidden + int(mantissa, 2) / 2 ** len(mantissa)
    infinite = bias in (15, 127) and "0" not in exponent
    return (-1.0) ** int(sign) * (np.inf if infinite else magnitude * 2.0 ** (power - bias))


def decoded(page, code):
    """What the layout on the page makes of a code; nothing of preon takes part."""
    fields = code.split()
    if page.name in INTEGERS:
        scale, zero_point = page.grid()
        return np.float32(int(code) - zero_point) * scale
    if page.name in BIAS:
        scale = np.float32(2.0 ** page.exponent()) if page.name in BLOCKS else page.grid()[0]
        return np.float32(mini_float(*fields, BIAS[page.name])) * scale
    if page.name == "mxint8":
        return int(code) * 2.0 ** (page.exponent() - 6)
    shift = int(fields.pop(0)) if page.name.startswith("mx") else 0
    return (-1.0) ** int(fields[0]) * int(fields[1], 2) * 2.0 ** (page.exponent() - shift - len(fields[1]) + 1)


@pytest.mark.parametrize("name", TYPES)
def test_the_example_is_what_the_operators_compute(name):
    page = Page(name)
    bits = lambda values: np.float32(values).view(np.uint32)  # so that -0 is not 0
    np.testing.assert_array_equal(bits(quantized_dequantized(page, page.x)), bits(page.values))
    np.testing.assert_array_equal(bits([decoded(page, code) for code in page.codes]), bits(page.values))
    assert 0 < np.abs(page.values - page.x).max()


@pytest.mark.parametrize("name", INTEGERS)
def test_the_grid_is_that_of_the_range(name):
    page = Page(name)
    low, high = map(np.float32, page.find(r"range `\[(\S+), (\S+)\]`"))
    assert page.grid() == extremes_grid(name, low, high)


@pytest.mark.parametrize("name", BLOCKS)
def test_packed_constants_hold_the_example(name):
    page = Page(name)
    kind, size, offset = page.find(r"`(\w+)` codes in blocks of (\d+), scale `2\^(?:k|\([ek] - (\d+)\))`")
    scale = 2.0 ** (page.exponent() - int(offset or 0))
    # Of rank 2: the runtime takes a 1-D scale of one element as one per tensor and refuses a block size beside it.
    constants = [helper.make_tensor("codes", TensorProto.DataType.Value(kind), [1, len(page.values)], page.values / scale),
                 helper.make_tensor("scale", TensorProto.FLOAT, [1, 1], [scale]), helper.make_tensor("first", TensorProto.INT64, [1], [0])]
    nodes = [helper.make_node("DequantizeLinear", ["codes", "scale"], ["w"], axis=1, block_size=int(size)),
             helper.make_node("Squeeze", ["w", "first"], ["row"]), helper.make_node("Add", ["row", "x"], ["y"])]
    np.testing.assert_array_equal(run(nodes, np.zeros_like(page.x), constants), page.values)


def test_each_type_has_a_page_that_is_listed():
    index = (PAGES / "README.md").read_text()
    assert sorted(path.stem for path in PAGES.glob("*.md") if path.stem not in ("README", "comparison")) == TYPES
    assert all(f"]({name}.md)" in index for name in TYPES)


@pytest.mark.parametrize("name", TYPES)
def test_the_index_tells_the_error_of_each_type(name):
    row = re.search(rf"^\| \[{name}\]\({name}\.md\) .* \| (\S+) \| (\S+) \|$", (PAGES / "README.md").read_text(), re.M)
    random = np.random.default_rng(0)
    for told, values in zip(row.groups(), [random.normal(size=1 << 18), random.standard_t(3, size=1 << 18)]):
        x = values.astype(np.float32)
        grid = None if name in BLOCKS else extremes_grid(name, x.min(), x.max())
        error = quantized_dequantized(Page(name), x, grid).astype(np.float64) - x
        assert 10 * np.log10(np.square(x, dtype=np.float64).sum() / np.square(error).sum()) == pytest.approx(float(told), abs=0.06)
