"""Quantizes models that Hugging Face's Optimum exports, and keeps the files beside them."""
import shutil
from pathlib import Path as FilePath
from typing import Any, Optional

from ..core import quantize
from ..errors import ConfigError
from ..optional import optional
from ..options import Path
from ..result import Result

_BESIDE = (".json", ".txt", ".model", ".jinja", ".tiktoken", ".py", ".md")  # configuration, tokenizer, code; no weights


class PreonQuantizer:
    """As ORTQuantizer: a model in, a folder out that ORTModelFor… loads.

        quantizer = PreonQuantizer.from_pretrained("bert-onnx")
        quantizer.quantize("bert-int8", data=tokenized)
    """

    def __init__(self, model: Path, config: Any = None):
        """The ONNX file, and what has save_pretrained(folder) and is to lie beside the result, such as a model's config."""
        self.model = FilePath(model)  # type: ignore[arg-type]
        self.config = config

    @classmethod
    def from_pretrained(cls, model: Any, file_name: Optional[str] = None) -> "PreonQuantizer":
        """Of a folder that Optimum exported to, or an ORTModel; `file_name` where the folder has several models. Raises ConfigError."""
        if hasattr(model, "save_pretrained"):
            path = getattr(model, "path", None)
            if path is None:
                raise ConfigError(1002, f"model: {type(model).__name__} consists of several models, wanted a folder and file_name", exit_status=2)
            return cls(path, model.config)
        folder = FilePath(model)
        if file_name is not None:
            return cls(folder / file_name)
        files = sorted(path.name for path in folder.glob("*.onnx"))
        if len(files) != 1:
            found = ", ".join(files) or "none"
            raise ConfigError(1002, f"model: {folder}: got {found}, wanted one .onnx file", "file_name=... names one of them" if files else None, 2)
        return cls(folder / files[0])

    def quantize(self, save_dir: Path, data: Any = None, file_suffix: str = "quantized", **options: Any) -> Result:
        """Writes MODEL_quantized.onnx into save_dir, and copies of the configuration and tokenizer that lie beside the model.

        `data` and `options` as of preon.quantize(): a tokenized data set, whose columns have the names of the model's inputs.
        """
        folder = FilePath(save_dir)  # type: ignore[arg-type]
        folder.mkdir(parents=True, exist_ok=True)
        suffix = f"_{file_suffix}" if file_suffix else ""
        result = quantize(self.model, folder / f"{self.model.stem}{suffix}.onnx", data=data, **options)
        if self.model.parent.resolve() != folder.resolve():
            for path in self.model.parent.iterdir():
                if path.is_file() and path.suffix in _BESIDE:
                    shutil.copy2(path, folder / path.name)
        if self.config is not None:
            self.config.save_pretrained(folder)
        return result


def export(model: Path, save_dir: Path, data: Any = None, task: str = "auto", **options: Any) -> Result:
    """Exports a model of Transformers by Optimum (optimum.exporters.onnx), then quantizes it into the same folder.

    `model`: a folder of Transformers' or a name on the hub; `data` and `options` as of preon.quantize().
    """
    exporter = optional("optimum.exporters.onnx", "optimum", "plugins.optimum")
    exporter.main_export(str(model), str(save_dir), task=task)
    return PreonQuantizer.from_pretrained(save_dir).quantize(save_dir, data=data, **options)
