"""Removes the Q/DQ pairs between operators of two types: --between_ops "Conv,Relu;Mul,Add"."""
import sys

from ..core import passes
from ..errors import ConfigError
from ._command import model_tool


def remove_qdq_between_ops(model, between_ops):
    """between_ops: [(type of the producer, type of the reader)]. A pair that others read too stays for them."""
    parameters = {"remove_qdq_between_op_types": [list(each) for each in between_ops]}
    rewritten = passes(model, list={"passes": {"onnx_remove_qdq_between_op_types": parameters}}).model
    if len(rewritten.graph.node) != len(model.graph.node):
        model.CopyFrom(rewritten)
    return model


def remove_and_tell(model, between_ops):
    """The same, and a line on stderr where there is no such pair."""
    before = len(model.graph.node)
    remove_qdq_between_ops(model, between_ops)
    if len(model.graph.node) == before:
        print(f"preon: warning: no Q/DQ pair between {' or '.join(map(' and '.join, between_ops))}: nothing was removed", file=sys.stderr)


def parse(text):
    """Raises ConfigError for what is no list of pairs."""
    found = [tuple(name.strip() for name in each.split(",")) for each in text.split(";") if each.strip()]
    if not found or any(len(each) != 2 or not all(map(str.isidentifier, each)) for each in found):
        raise ConfigError(1002, f"--between_ops: got '{text}', wanted 'UPPER,LOWER;UPPER,LOWER' with operator types, such as 'Conv,Relu;Mul,Add'", exit_status=2)
    return found


main = model_tool(__doc__, ("--input_model", "--output_model"), lambda model, given: remove_and_tell(model, parse(given.between_ops)),
                  between_ops={"required": True, "help": "pairs of operator types, ';' between them"})

if __name__ == "__main__":
    sys.exit(main())
