# %% [markdown]
# # Coming from AMD Quark
# A script for Quark's ONNX quantizer as it was, with one line changed: the import. Model and samples come with the project.

# %%
import pathlib
import tempfile

import numpy as np

from preon import CalibMethod, Int8Spec, ModelQuantizer, QConfig, QLayerConfig  # was: from quark.onnx import ...

glyphs = pathlib.Path(__file__).resolve().parents[1] / "glyphs"
work = pathlib.Path(tempfile.mkdtemp())


class Reader:
    def __init__(self):
        self.samples = iter([{"image": image[np.newaxis]} for image in np.load(glyphs / "calib.npz")["image"]])

    def get_next(self):
        return next(self.samples, None)


config = QConfig(global_config=QLayerConfig(input_tensors=Int8Spec(calibration_method=CalibMethod.Percentile), weight=Int8Spec()))
quantizer = ModelQuantizer(config)
quantizer.quantize_model(str(glyphs / "model.onnx"), str(work / "quark.onnx"), Reader())
print(quantizer.result.target, quantizer.result.method, f"SQNR {quantizer.result.compare['outputs']['scores']['sqnr_db']:.1f} dB")

# %% [markdown]
# ## The same configuration, placed for ONNX Runtime's CPU kernels

# %%
import preon  # noqa: E402

fast = ModelQuantizer(QConfig(global_config=config.global_config, preon_options={"target": "ort-cpu"}))
fast.quantize_model(str(glyphs / "model.onnx"), str(work / "fast.onnx"), Reader())
for name in ("quark", "fast"):
    judged = preon.compare(glyphs / "model.onnx", work / f"{name}.onnx", data=glyphs / "test.npz", threads=1, progress=False)
    print(f"{name:<6} top-1 {judged.accuracy['quantized']['top1']:.2%} (float {judged.accuracy['float']['top1']:.2%})")

# %% [markdown]
# ## Presets
# A preset by its name, and one with AdaRound, which is solved here without training.

# %%
a8w8 = QConfig.get_default_config("A8W8")
print(type(a8w8).__name__, preon.quantize(glyphs / "model.onnx", config="A8W8_QCONFIG", data=glyphs / "calib.npz", progress=False).activation)
rounded = ModelQuantizer(preon.A8W8_ADAROUND_QCONFIG)
rounded.quantize_model(str(glyphs / "model.onnx"), str(work / "adaround.onnx"), Reader())
judged = preon.compare(glyphs / "model.onnx", work / "adaround.onnx", data=glyphs / "test.npz", threads=1, progress=False)
print(f"adaround top-1 {judged.accuracy['quantized']['top1']:.2%}")
