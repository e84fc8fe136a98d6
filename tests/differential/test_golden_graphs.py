"""Golden graphs: what targets quark and ort write, against stored runs of the tools that they are named after (testdata/quark/graphs).
What is different on purpose is switched off (golden_configs.ADAPTED) or listed here, with the reason."""
from collections import Counter

import golden_graphs
import golden_runs
import pytest

pytestmark = pytest.mark.thorough  # all goldens run first

# (configurations, models, what differs, why): patterns of the shell, and a regular expression for each single difference; any other fails.
DELIBERATE = [
    ("ort:f8", "gemm", r"structure: operators .*Gemm\{.*'beta'.*\}: 0→1; Gemm(\{.*\})?: 1→0", "float8 has no --compat: beta stays; there it is dropped"),
    ("A8W8/AdjustBiasScale=False", "gemm", r"scales: \('y', 2\)", "codes have beta in any case; there the scale has it without that adjustment"),
    ("*", "fp16_*", r"(scales|codes) by (halves|one): |(scales|codes): \('[cy]', 2\)",
     "scales of a float16 model are float16 there, those of biases denormal; ours computes in float32"),
    ("ort:*", "fp16_*", r"structure: (place )?\('y(_Cast_input)?', ", "and has a Cast at the output"),
    ("*UseFP32Scale=False", "fp16_*", r"structure: \('y', 'output'\)", "float16 is the last form of a written model, which test_golden_package.py sees"),
    ("*DedicateDQNode=True", "attention shared_weights", r"names: ", "of several DequantizeLinear another reader has the first; copies of a constant's share its codes"),
    ("VINT8", "split_conv", r"names: \('s[12]', 0\)", "of dedicated pairs, the second output of Split has another number"),
    ("VINT8", "l2norm_decomposed", r"structure: \('y', 'output'\)", "QuantizeAllOpTypes: operators that fusions make are among all"),
    ("*get_qdq_config BF16 BF16/* VINT8", "if_subgraph", r"structure: (operators Relu: 0→1|(place )?\('[iy]', )", "outputs of an If have pairs there"),
    ("*", "hardsigmoid_small", r"error: \[E7004\]", "a histogram of more than 2^26 bins is refused; there it is allocated"),
    ("A8W8/SubgraphsToExclude", "residual_add", r"error: \[E1005\]", "a sub-graph that is not closed"),
    ("*CopyBiasInit=None", "shared_weights", r"scales: \('c1', 2\)|codes by one: \('c2', 2\)", "a bias shared by nodes has one node's scale there; ours is cloned"),
    ("BF16", "conv_clip6_attr", r"structure: (operators Clip|place \('k', [12]\)|\('k', 0\))", "the opset is raised, where bounds are inputs"),
    ("ort:u8s8/QDQOpTypePerChannelSupportToAxis", "matmul_const", r"types: \('m', 1\)", "of MatMul only the last axis of a matrix runs"),
    ("ort:f8", "*", r"(structure|types): ", "float8 is written with operators that runtimes compute with optimizations on, and Relu stays; there it does not load"),
]
# Stored configurations that ask for what these targets do not write.
UNMAPPED = {
    "ort:dynamic": "test_dynamic.py", "UINT8_DYNAMIC_QUANT": "test_dynamic.py", "ort:qop_u8s8": "test_qoperator.py",
    "A8W8+cle": "an algorithm", "S16S16_MIXED_S8S8": "an algorithm", "BF16_MIXED_BFP16": "an algorithm", "BF16_MIXED_MXINT8": "an algorithm",
    "q:XINT8_QCONFIG": "NPU-CNN", "q:VINT8_QCONFIG": "NPU-CNN", "q:xint8": "NPU-CNN", "A8W8/SimulateDPU;all": "NPU-CNN",
    "A8W8/ConvertNCHWToNHWC": "transposes go around the quantized graph, not through the float one",
}
# group -> (equal, compared)
COUNTS = {"ort": (400, 408), "a8w8": (599, 609), "int": (357, 363), "qconfig": (271, 275), "float": (485, 487)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """group -> [(model, configuration, golden, differences or None where unmapped, why)]"""
    if not golden_runs.RUNNER.exists():
        pytest.skip(f"{golden_runs.RUNNER} is not built")
    goldens = golden_runs.Goldens(tmp_path_factory.mktemp("goldens"))
    return {group: goldens.run(list(goldens.entries(group))) for group in golden_runs.GROUPS}


@pytest.mark.parametrize("group", golden_runs.GROUPS)
def test_every_golden(group, runs, record_property):
    compared = [run for run in runs[group] if run[3] is not None]
    surprises = [f"{model} {config}: {difference}" for model, config, _, found, _ in compared
                 for difference in found if not golden_graphs.rows_for(DELIBERATE, model, config, difference)]
    equal = sum(not found for _, _, _, found, _ in compared)
    record_property("summary", f"golden graphs {group}: {equal} of {len(compared)} equal, the others but for what DELIBERATE lists; "
                    f"{len(runs[group]) - len(compared)} have no op-list target of ours")
    assert not surprises, (len(surprises), surprises[:20])
    assert (equal, len(compared)) == COUNTS[group]


def test_the_page_has_these_counts():
    page = (golden_runs.ROOT / "docs/design/op-list-targets.md").read_text()
    for group, (equal, compared) in COUNTS.items():
        assert f"| `{group}` | {compared} | {equal} |" in page


def test_every_row_is_needed(runs):
    used = {row for group in runs.values() for model, config, _, found, _ in group for difference in found or [] for row in golden_graphs.rows_for(DELIBERATE, model, config, difference)}
    assert used == set(range(len(DELIBERATE))), [DELIBERATE[row] for row in set(range(len(DELIBERATE))) - used]


def test_what_is_unmapped(runs):
    unmapped = Counter(config for group in runs.values() for _, config, _, found, _ in group if found is None)
    assert set(unmapped) == set(UNMAPPED)


def test_where_quark_fails_ours_succeeds(runs):
    failed = [run for group in runs.values() for run in group if "error" in run[2] and run[3] is not None]
    assert len(failed) >= 5
    assert not [(model, config, found) for model, config, _, found, _ in failed if found]
