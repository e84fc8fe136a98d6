"""A pass of Microsoft Olive that quantizes with preon.

    python3 -m preon.plugins.olive packages.json          Olive's own package configuration with this pass beside the others
    olive run --config run.json --package-config packages.json
"""
import json
import sys
from pathlib import Path
from typing import Any, Optional, Union

from ..core import quantize
from ..errors import ConfigError
from ..optional import optional

optional("olive", "olive", "plugins.olive")

from olive.common.config_utils import validate_config  # noqa: E402
from olive.data.config import DataConfig  # noqa: E402
from olive.hardware import AcceleratorSpec  # noqa: E402
from olive.model import ONNXModelHandler  # noqa: E402
from olive.model.utils import resolve_onnx_path  # noqa: E402
from olive.package_config import OlivePackageConfig  # noqa: E402
from olive.passes import Pass  # noqa: E402
from olive.passes.pass_config import BasePassConfig, PassConfigParam  # noqa: E402


class PreonQuantization(Pass):
    """ONNX in, ONNX out. What Olive's `data_config` gives calibrates, or the option `data`; without either nothing is calibrated,
    which formats of weights alone do not need. What preon raises ends Olive's run with preon's message."""

    @classmethod
    def _default_config(cls, accelerator_spec: AcceleratorSpec) -> "dict[str, PassConfigParam]":
        return {
            "data_config": PassConfigParam(type_=Optional[Union[DataConfig, dict]], default_value=None, description="samples that calibrate"),
            "options": PassConfigParam(type_=dict, default_value={},
                                       description='options of `preon quantize --help` by their long names, as {"activation": "int16"}; and `data`'),
        }

    def _run_for_config(self, model: ONNXModelHandler, config: "type[BasePassConfig]", output_model_path: str) -> ONNXModelHandler:
        ours = sorted({"model", "output", "reader", "progress"} & set(config.options))  # type: ignore[attr-defined]
        if ours or ("data" in config.options and config.data_config is not None):  # type: ignore[attr-defined]
            raise ConfigError(1004, f"options of PreonQuantization: got {', '.join(ours) or 'data beside data_config'}, which Olive gives", exit_status=2)
        path = Path(resolve_onnx_path(output_model_path, Path(model.model_path).name))
        path.parent.mkdir(parents=True, exist_ok=True)
        quantize(model.model_path, path, reader=_reader(model, config), progress=False, **config.options)  # type: ignore[attr-defined]
        beside = any(other != path for other in path.parent.iterdir())  # weights in a file of their own
        return ONNXModelHandler(str(path.parent if beside else path), onnx_file_name=path.name if beside else None)


def _reader(model: ONNXModelHandler, config: Any) -> Any:
    """None without a data_config."""
    if config.data_config is None:
        return None
    return validate_config(config.data_config, DataConfig).to_data_container().create_calibration_dataloader(model_path=model.model_path, io_config=model.io_config)


def package_config() -> "dict[str, Any]":
    """Olive's package configuration with this pass in it, as `olive.workflows.run(..., package_config=)` takes it."""
    config: "dict[str, Any]" = json.loads(Path(OlivePackageConfig.get_default_config_path()).read_text(encoding="utf-8"))
    config["passes"]["PreonQuantization"] = {
        "module_path": f"preon.plugins.olive.{PreonQuantization.__name__}",
        "supported_providers": ["*"], "supported_accelerators": ["*"], "supported_precisions": ["*"],
        "supported_algorithms": [], "supported_quantization_encodings": ["qdq"], "dataset": "dataset_optional",
    }
    return config


def _main() -> int:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print("usage: python3 -m preon.plugins.olive FILE    writes Olive's package configuration with preon's pass", file=sys.stderr)
        return 2
    Path(sys.argv[1]).write_text(json.dumps(package_config(), indent=4) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
