"""Inputs and outputs [N, C, H, W] of known C, H and W become [N, H, W, C], with a Transpose inside."""
import sys

from ..core import passes
from ..errors import ConfigError
from ._command import model_tool


def convert_nchw_to_nhwc(model):
    """Names stay. Raises ConfigError where there is no such input or output."""
    result = passes(model, names=["to_nhwc"])
    if not result.passes[0]["changed"]:
        raise ConfigError(1004, "no input or output of the model has the form [N, C, H, W] with known C, H and W", exit_status=2)
    return result.model


main = model_tool(__doc__, ("input", "output"), lambda model, _: convert_nchw_to_nhwc(model))

if __name__ == "__main__":
    sys.exit(main())
