"""Constants that a file also lists as graph inputs are no inputs any more, so that runtimes can fold them."""
import sys

from ._command import model_tool


def remove(model):
    constants = {each.name for each in model.graph.initializer}
    kept = [each for each in model.graph.input if each.name not in constants]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    model.ir_version = max(model.ir_version, 4)   # below, every constant has to be an input
    return model


main = model_tool(__doc__, ("--input", "--output"), lambda model, _: remove(model))

if __name__ == "__main__":
    sys.exit(main())
