"""Removes pairs of Casts to bfloat16 and back, except those of inputs; constants keep bfloat16's values, as floats. For compilers that compute in
bfloat16 anyway: other runtimes no longer round the activations."""
import sys

from ._command import EXTERNAL_DATA, model_tool, run_pass


def remove_bf16_cast(model):
    """Returns a new model; says on stderr where there are no such Casts."""
    return run_pass(model, "remove_bfloat16_casts", "no node's output and no constant has a pair of Casts to bfloat16 and back: nothing was removed")


main = model_tool(__doc__, ("input_model_path", "output_model_path"), lambda model, _: remove_bf16_cast(model), save_as_external_data=EXTERNAL_DATA)

if __name__ == "__main__":
    sys.exit(main())
