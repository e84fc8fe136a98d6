"""Lists the nodes of a quantized model by the bits of what they read: A16W8, A8W8, …."""
import argparse
import sys

from ._command import as_positions, guarded
from ._pairs import DEQUANTIZERS, Pairs


def by_bits(model):
    """{"A8W8": [node names]} of nodes with a quantized activation and a quantized constant of at least two dimensions."""
    pairs = Pairs(model)
    found = {}
    for node in pairs.graph.node:
        bits = {}
        for name in node.input:
            dequantize = pairs.producers.get(name)
            if dequantize is None or dequantize.op_type not in DEQUANTIZERS or len(dequantize.input) < 3:
                continue
            constant = dequantize.input[0] in pairs.constants
            if not constant or len(pairs.constants[dequantize.input[0]].dims) > 1:
                bits.setdefault("W" if constant else "A", 8 * pairs.array(dequantize.input[2]).dtype.itemsize)
        if len(bits) == 2:
            found.setdefault(f"A{bits['A']}W{bits['W']}", []).append(node.name)
    return found


def main(given=None):
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input")
    arguments = parser.parse_args(as_positions(given, ["input"]))

    def show():
        for kind, names in sorted(by_bits(onnx.load(arguments.input)).items()):
            print(f"{kind}: {len(names)}", *names, sep="\n  ")

    return guarded(show)


if __name__ == "__main__":
    sys.exit(main())
