# %% [markdown]
# # Coming from ONNX Runtime's quantizer
# The same model and samples through both. Needs the package `onnxruntime` beside preon; model and samples come with the project.

# %%
import pathlib
import tempfile

import numpy as np
import onnxruntime.quantization as ort
import preon

glyphs = pathlib.Path(__file__).resolve().parents[1] / "glyphs"
work = pathlib.Path(tempfile.mkdtemp())
images = np.load(glyphs / "calib.npz")["image"]


class Reader(ort.CalibrationDataReader):
    def __init__(self):
        self.samples = iter([{"image": image[np.newaxis]} for image in images])

    def get_next(self):
        return next(self.samples, None)


# %% [markdown]
# ## Before: preprocess, quantize, hope

# %%
ort.quant_pre_process(glyphs / "model.onnx", work / "prepared.onnx", skip_symbolic_shape=True)
ort.quantize_static(work / "prepared.onnx", work / "theirs.onnx", Reader(), per_channel=True,
                    activation_type=ort.QuantType.QUInt8, weight_type=ort.QuantType.QInt8)

# %% [markdown]
# ## Now: one call, the reader as it is
# Preprocessing is part of it, ranges are chosen by measurement, the result was loaded and run.

# %%
result = preon.quantize(glyphs / "model.onnx", work / "ours.onnx", data=Reader(), threads=1, progress=False)

# %%
for name in ("theirs", "ours"):
    judged = preon.compare(glyphs / "model.onnx", work / f"{name}.onnx", data=glyphs / "test.npz", threads=1, progress=False)
    print(f"{name:<7} top-1 {judged.accuracy['quantized']['top1']:.2%} (float {judged.accuracy['float']['top1']:.2%}), "
          f"SQNR {judged.outputs['scores']['sqnr_db']:.1f} dB")

# %% [markdown]
# ## The other tool's ranges, where they are wanted
# `compat` computes them bit for bit as ONNX Runtime does; target `ort` puts quantizers where it puts them.

# %%
same = preon.quantize(glyphs / "model.onnx", work / "same.onnx", data=Reader(), compat="onnxruntime", target="ort", method="minmax", progress=False)
print(same.method, same.target, f"SQNR {same.compare['outputs']['scores']['sqnr_db']:.1f} dB")
