"""A copy of a shared constant for each use but the first, by nodes of the types given (default: all)."""
import sys

from ._command import model_tool


def make_unique(model, op_types=()):
    """The copies of w are duplicatedw2, duplicatedw3, …."""
    constants = {each.name: each for each in model.graph.initializer}
    count = dict.fromkeys(constants, 0)
    wanted = [node for node in model.graph.node if not op_types or node.op_type in op_types]
    for node in model.graph.node:
        if node not in wanted:
            for name in set(node.input) & set(constants):
                count[name] = 1   # it keeps the original
    for node in wanted:
        for index, name in enumerate(node.input):
            if name not in constants:
                continue
            count[name] += 1
            if count[name] > 1:
                copy = model.graph.initializer.add()
                copy.CopyFrom(constants[name])
                copy.name = node.input[index] = f"duplicated{name}{count[name]}"
    return model


main = model_tool(__doc__, ("--input", "--output"), lambda model, given: make_unique(model, given.op_types or ()),
                  op_types={"nargs": "*", "help": "operator types"})

if __name__ == "__main__":
    sys.exit(main())
