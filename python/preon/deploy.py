"""What else scripts use beside quantization: the operator library, dumps of a model's values."""
import pathlib

from .errors import ConfigError, NotFound, not_yet

_PLACES = ("lib", "../../lib")  # in a wheel, in a build


def get_library_path(device="CPU", lib="custom_ops"):
    """The shared library that a session needs for the operators of bfloat16 and block types:
    `SessionOptions.register_custom_ops_library(preon.get_library_path())`.

    Raises ConfigError for another device than "CPU", NotFound where the package was built without it.
    """
    if str(device).lower() != "cpu":
        raise not_yet(f"get_library_path: device {device}", "there is CPU")
    if lib != "custom_ops":
        raise ConfigError(1002, f"get_library_path: got '{lib}', wanted custom_ops", exit_status=2)
    folder = pathlib.Path(__file__).resolve().parent
    for place in _PLACES:
        path = (folder / place / "libpreon_ops.so").resolve()
        if path.is_file():
            return str(path)
    raise NotFound(7001, f"libpreon_ops.so: neither in {folder / _PLACES[0]} nor beside the build", exit_status=1)


def dump_model(model_input, dump_data_reader=None, random_data_reader_input_shape={}, dump_float=False, output_dir="./dump_results"):
    """Writes what a quantized model holds and computes for one sample: OUTPUT.bin (the numbers one after the other) and OUTPUT.txt
    (one a line) in `output_dir`, the codes behind each DequantizeLinear by the name of its output, `_` for `/`; codes of 4 bits take
    a byte each.

    dump_data_reader                its first sample; None: one random sample
    random_data_reader_input_shape  shapes of the random sample: {input: [sizes]}
    dump_float                      also every node's output as floats: OUTPUT_float.bin and OUTPUT_float.txt

    Raises ConfigError where no tensor has integer codes and `dump_float` is off, DataError for a reader without samples.
    """
    from .dumps import dump

    dump(model_input, dump_data_reader, random_data_reader_input_shape, dump_float, output_dir)
