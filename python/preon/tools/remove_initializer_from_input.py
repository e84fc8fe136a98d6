"""Constants that a file also lists as graph inputs are no inputs any more, so that runtimes can fold them."""
import sys

from ..core import passes
from ._command import model_tool


def remove(model):
    return passes(model, names=["remove_initializer_inputs"]).model


main = model_tool(__doc__, ("--input", "--output"), lambda model, _: remove(model))

if __name__ == "__main__":
    sys.exit(main())
