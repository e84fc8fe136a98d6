# A notebook as a plain file: editors that know "# %%" run it cell by cell, Python runs it at once.
#
# %% [markdown]
# # A model in 8 bits, in five steps
# The model tells letters and digits of 32 × 32 pixels apart; it and its samples come with preon.

# %%
import pathlib
import tempfile

import numpy as np
import preon

glyphs = pathlib.Path(__file__).resolve().parents[1] / "glyphs"
work = pathlib.Path(tempfile.mkdtemp())

# %% [markdown]
# ## 1. Look
# Results print as the command line does; a notebook shows tables to unfold.

# %%
summary = preon.inspect(glyphs / "model.onnx")
print(summary)

# %% [markdown]
# ## 2. Quantize
# Samples come from files, or from any object with `get_next()`. The result was loaded and run before it got its name.

# %%
result = preon.quantize(glyphs / "model.onnx", work / "model.int8.onnx", data=glyphs / "calib.npz")
print(result)
assert result.placement["integer_macs_share"] > 0.9

# %% [markdown]
# ## 3. Judge
# On samples that it has not seen, with labels.

# %%
judged = preon.compare(glyphs / "model.onnx", work / "model.int8.onnx", data=glyphs / "test.npz")
accuracy = judged.accuracy["float"]["top1"], judged.accuracy["quantized"]["top1"]
print(f"float {accuracy[0]:.2%}, INT8 {accuracy[1]:.2%}")
assert accuracy[1] > accuracy[0] - 0.005

# %% [markdown]
# ## 4. Ask
# One pass over the data keeps every method's statistics; what they give is asked afterwards, without model or data.

# %%
preon.calibrate(glyphs / "model.onnx", work / "model.calib", data=glyphs / "calib.npz")
for method in ("minmax", "percentile", "entropy"):
    tensors = preon.ranges(work / "model.calib", method=method).tensors
    print(f"{method:<12}", {name: (round(r["min"], 2), round(r["max"], 2)) for name, r in list(tensors.items())[:3]})
print(preon.analyze(work / "model.calib"))

# %% [markdown]
# ## 5. Say it in AMD Quark's words
# Scripts written for `quark.onnx` run with the import changed.

# %%
from preon import BFP16Spec, CalibMethod, Int8Spec, ModelQuantizer, QConfig, QLayerConfig  # noqa: E402


class Reader:
    def __init__(self, images):
        self.images = iter(images)

    def get_next(self):
        image = next(self.images, None)
        return None if image is None else {"image": image[np.newaxis]}


images = np.load(glyphs / "calib.npz")["image"]
config = QConfig(QLayerConfig(input_tensors=Int8Spec(calibration_method=CalibMethod.MinMax), weight=Int8Spec()))
ModelQuantizer(config).quantize_model(glyphs / "model.onnx", work / "quark.onnx", Reader(images))

blocks = QConfig(QLayerConfig(input_tensors=BFP16Spec(), weight=BFP16Spec()))
model = ModelQuantizer(blocks).quantize_model(glyphs / "model.onnx")
print(sum(node.op_type == "BFPQuantizeDequantize" for node in model.graph.node), "quantizers of blocks")
assert QConfig.from_dict(config.to_dict()) == config
