"""Operators of com.amd.quark become those of com.vai.quantize, which older programs know: ExtendedQuantizeLinear becomes VitisQuantizeLinear and so on.
--reverse_conversion True: the other way round. libpreon_ops.so has both."""
import sys

from ._command import EXTERNAL_DATA, model_tool, switch, warn
from ._types import graphs_of

_DOMAIN, _OLDER_DOMAIN = "com.amd.quark", "com.vai.quantize"
_OLDER = {"ExtendedQuantizeLinear": "VitisQuantizeLinear", "ExtendedDequantizeLinear": "VitisDequantizeLinear",
          "ExtendedInstanceNormalization": "VitisInstanceNormalization", "ExtendedLSTM": "VitisLSTM", "BFPQuantizeDequantize": "BFPFixNeuron",
          "MXQuantizeDequantize": "MXFixNeuron"}


def convert_custom_ops(model, reverse_conversion=False):
    """Changes the model in place, sub-graphs and functions too, and returns it; says on stderr where it has no such operators, or others of the domain."""
    before, after = (_OLDER_DOMAIN, _DOMAIN) if reverse_conversion else (_DOMAIN, _OLDER_DOMAIN)
    names = {older: name for name, older in _OLDER.items()} if reverse_conversion else _OLDER
    nodes = [node for top in (model.graph, *model.functions) for graph in graphs_of(top) for node in graph.node if node.domain == before]
    converted = [node for node in nodes if node.op_type in names]
    others = sorted({node.op_type for node in nodes} - set(names))
    for node in converted:
        node.op_type, node.domain = names[node.op_type], after
    if not converted:
        warn(f"the model has no operator of {before} with a name in {after}: nothing was converted")
        return model
    if others:
        warn(f"operators without a name in {after} stay: {', '.join(others)}")
    for holder in (model, *model.functions):
        _import(holder.opset_import, None if others else before, after)
    return model


def _import(opsets, gone, wanted):
    """`wanted` is imported in place of `gone`, which may stay (None), where there is anything to import."""
    if gone is not None:
        kept = [each for each in opsets if each.domain != gone]
        del opsets[:]
        opsets.extend(kept)
    if all(each.domain != wanted for each in opsets):
        opsets.add(domain=wanted, version=1)


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, given: convert_custom_ops(model, given.reverse_conversion),
                  reverse_conversion={"type": switch, "nargs": "?", "const": True, "default": False, "metavar": "True|False",
                                      "help": "operators of com.vai.quantize become those of com.amd.quark"},
                  external_data={"type": switch, "nargs": "?", "const": True, "default": False, "metavar": "True|False",
                                 "help": EXTERNAL_DATA["help"]})

if __name__ == "__main__":
    sys.exit(main())
