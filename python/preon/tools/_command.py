"""What all tools share: arguments in Quark's spelling, models in and out, failures in one line."""
import argparse
import os
import sys
import tempfile

from ..errors import ConfigError, PreonError


#: What tools take that write large models.
EXTERNAL_DATA = {"action": "store_true", "help": "store the weights in OUTPUT.data next to the model: needed above 2 GB"}


def model_tool(description, names, convert, by_path=False, **options):
    """main() of a tool that makes one model of another.

    names    of the two files, and of what stands between them; with "--" in front they are options, else positions
    convert  (onnx.ModelProto, arguments) -> onnx.ModelProto, or None for the one it was given
    by_path  it is given the path instead, which spares a copy of large models
    options  further arguments: name -> keywords of add_argument; save_as_external_data or external_data, and all_tensors_to_one_file, say how it is written;
             `other`: another name of it
    """
    def main(given=None):
        parser = argparse.ArgumentParser(description=description)
        for name in names:
            parser.add_argument(name, **({"required": True} if name.startswith("-") else {}))
        for name, keywords in options.items():
            other = [f"--{keywords['other']}"] if "other" in keywords else []
            parser.add_argument(name if name in names else f"--{name}", *other, **{key: value for key, value in keywords.items() if key != "other"})
        arguments = parser.parse_args(as_positions(given, [name for name in names if not name.startswith("-")]))
        source, target = (getattr(arguments, names[index].lstrip("-")) for index in (0, -1))
        apart = getattr(arguments, "save_as_external_data", False) or getattr(arguments, "external_data", False)
        external = ("one" if getattr(arguments, "all_tensors_to_one_file", True) else "each") if apart else None
        return guarded(lambda: convert_model(source, target, lambda model: convert(model, arguments), by_path, external))

    return main


def run_pass(model, name, unchanged):
    """The model after one pass of the core; stderr has its warnings, and the text `unchanged` where it changed nothing."""
    from ..core import passes

    result = passes(model, names=[name])
    if not result.passes[0]["changed"]:
        warn(unchanged)
    for each in result.warnings:
        warn(each)
    return result.model


def as_positions(given, names):
    """The arguments (None: the program's), with `--NAME VALUE` of all names as positions: Quark's guide has the one form, its tools the other."""
    given = list(sys.argv[1:] if given is None else given)
    options = [f"--{name}" for name in names]
    if not options or not all(option in given for option in options):
        return given
    values = []
    for option in options:
        at = given.index(option)
        values += given[at + 1:at + 2]
        del given[at:at + 2]
    return values + given


def convert_model(source, target, convert, by_path=False, external=None):
    """Writes the model that `convert` makes of `source`; returns it where `target` is None. Raises ConfigError where the output is the input.

    source    path, or onnx.ModelProto
    convert   (onnx.ModelProto) -> onnx.ModelProto, or None for the one it was given
    by_path   it is given the path
    external  weights beside the model: "one" file, "each" its own; None: inside
    """
    import onnx

    if isinstance(source, (str, os.PathLike)):
        if target is not None and os.path.exists(target) and os.path.samefile(source, target):
            raise ConfigError(1004, f"'{target}' is the input; inputs are never written to", exit_status=2)
        source = os.fspath(source) if by_path else onnx.load(source)
    model = convert(source) or source
    return model if target is None else write(model, target, external)


def write(model, path, external=None):
    """Whole or not at all; `external` as of convert_model."""
    import onnx

    if external:
        return _write_external(model, path, external == "one")
    if model.ByteSize() > onnx.checker.MAXIMUM_PROTOBUF:
        raise ConfigError(1004, "the result is larger than 2 GB, which one file can't hold; wanted --save_as_external_data", exit_status=2)
    if not _has_own_operators(model):
        onnx.checker.check_model(model)
    write_bytes(model.SerializeToString(), path)


def _write_external(model, path, one_file):
    """The weights first, so that a model that is there can be read."""
    import onnx

    folder, name = os.path.split(os.path.abspath(path))
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{name}.") as staged:
        onnx.save_model(model, os.path.join(staged, name), save_as_external_data=True, all_tensors_to_one_file=one_file,
                        location=f"{name}.data" if one_file else None, size_threshold=1024 if one_file else 0)
        if not _has_own_operators(model):
            onnx.checker.check_model(os.path.join(staged, name))
        for each in sorted(os.listdir(staged), key=lambda file: file == name):
            os.replace(os.path.join(staged, each), os.path.join(folder, each))


def switch(text):
    """True or False, as Quark's guide writes them behind some options."""
    if text.lower() not in ("true", "false", "1", "0"):
        raise argparse.ArgumentTypeError(f"got '{text}', wanted True or False")
    return text.lower() in ("true", "1")


def warn(text):
    """One line on stderr, as the program says it."""
    print(f"preon: warning: {text}", file=sys.stderr)


def write_bytes(content, path):
    """Whole or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        try:
            file.write(content)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def _has_own_operators(model):
    return any(each.domain not in ("", "ai.onnx") for each in model.opset_import)


def guarded(work):
    """0, or what went wrong in a line on stderr and the exit status for it."""
    try:
        work()
        return 0
    except PreonError as error:
        print(f"preon: error {error}", file=sys.stderr)
        return error.exit_status
    except ImportError as error:
        print(f"preon: error [E1007] {error.name}: this tool needs the package; wanted pip install {error.name}", file=sys.stderr)
        return 2
    except FileNotFoundError as error:
        print(f"preon: error [E2001] {error.filename}: no such file", file=sys.stderr)
        return 2
    except Exception as error:  # protobuf, checker and file errors: the tool is at its edge
        print(f"preon: error [E2004] {type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no reason given'}", file=sys.stderr)
        return 1
