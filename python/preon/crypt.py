"""Encrypted models: to and from files that quantize() alone reads."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from .core import Model, _completed, _run, _with_model
from .in_memory import Files, path_of
from .options import DecryptOptions, EncryptOptions, Path
from .result import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack


@_completed
def encrypt(model: Model, output: Path, **options: Unpack[EncryptOptions]) -> Result:
    """Writes the model encrypted (AES-256-GCM), so that quantize() alone reads it, with the same key.

    model     path, or onnx.ModelProto, which then is never on the disk
    key_file  path of 32 bytes or 64 hexadecimal digits; None: the digits in the environment variable PREON_KEY

    Result and errors as of quantize().
    """
    with Files(options, in_memory=True) as files:
        return _run("encrypt", (files.model(model), path_of(output, "output")), options, progress=False, files=files)


@_completed
def decrypt(model: Path, output: Optional[Path] = None, **options: Unpack[DecryptOptions]) -> Result:
    """The model that a file of encrypt(), or of AMD Quark's crypto mode, holds.

    output    path; None: the result's `model` is an onnx.ModelProto, and nothing is written
    key_file  as of encrypt(); of AMD Quark's files 48 bytes

    Result and errors as of quantize(); ModelError 2016 where the key is another one or the file was changed.
    """
    with Files(options, in_memory=True) as files:
        target = path_of(output, "output") if output is not None else files.output("decrypted.onnx")
        result = _run("decrypt", (path_of(model, "model"), target), options, progress=False, files=files)
        return result if output is not None else _with_model(result, target)
