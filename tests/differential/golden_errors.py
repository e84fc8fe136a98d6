"""Whether a run of ours and a stored one of another tool end alike: both with a result, or both with an error that says the same."""
import re

import golden_graphs
import golden_outputs

# (what another tool says where it is right to fail, what ours has to say there)
SAME = [
    (r"When enable_npu_cnn=True, ActivationSymmetric must be set to true", r"^\[E1004\] .*got ActivationSymmetric false, wanted true"),
    (r"When enable_npu_cnn=True, WeightSymmetric must be set to true", r"^\[E1004\] .*WeightSymmetric false, wanted true"),
    (r"Only per-tensor quantization is supported when enable_npu_cnn=True", r"^\[E1004\] .*got one scale per channel"),
    (r"reduce_range is not supported when enable_npu_cnn=True", r"^\[E1004\] .*got reduce_range true"),
    (r"Pass '(\w+)' is not registered", r"^\[E1001\] onnx_\w+: unknown pass"),
]
QUANTIZED = golden_graphs.QUANTIZERS | golden_graphs.DEQUANTIZERS | golden_graphs.BLOCKS | golden_outputs.INTEGER | {"DynamicQuantizeLinear", "MatMulNBits"}


def nothing_to_quantize(entry, ours):
    """Of a model without anything to quantize the other tools store the float model, and ours says so."""
    return ours is not None and ours.startswith("[E2010]") and "nodes" in entry and not any(node[0] in QUANTIZED for node in entry["nodes"])


def difference(entry, skip, ours):
    """What is different, or None. `skip`: the parts that are defects of the other tool, where ours has to succeed if its error is one;
    `ours`: the text of our error, None of a run with a result."""
    if "error" not in entry or "error" in skip:
        return ours
    if ours is None:
        return "there it is one"
    return None if any(re.search(theirs, entry["error"]) and re.search(own, ours) for theirs, own in SAME) else ours
