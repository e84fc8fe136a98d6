# %% [markdown]
# # An image classifier: EfficientNet-Lite0
# Needs `./dev data`: the model and some photos.

# %%
import os
import pathlib
import tempfile

import preon

cache = pathlib.Path(os.environ.get("PREON_CACHE") or pathlib.Path.home() / ".cache/preon")
data = pathlib.Path(os.environ.get("PREON_DATA") or cache / "data")
model, photos = data / "models/efficientnet_lite0.onnx", sorted((data / "images/imagenet224").glob("*.jpg"))
work = pathlib.Path(tempfile.mkdtemp())

# %% [markdown]
# ## Quantize
# A hundred photos, prepared as the model was trained. The default method measures which ranges fit the model best.

# %%
result = preon.quantize(model, work / "int8.onnx", data=photos[:100], preprocess="imagenet", threads=1, progress=False)
print(result)

# %% [markdown]
# ## Judge on photos that the calibration has not seen

# %%
judged = preon.compare(model, work / "int8.onnx", data=photos[100:], preprocess="imagenet", threads=1, progress=False)
print(f"{judged.samples} photos: SQNR {judged.outputs['output']['sqnr_db']:.1f} dB, the same class for {judged.argmax_agreement:.0%}")
print(f"{judged.speedup['median']:.1f} times faster")

# %% [markdown]
# ## What is not quantized, and why

# %%
print({node["node"]: node["reason"] for node in result.placement["float"]})
assert result.placement["integer_macs_share"] > 0.95 and judged.argmax_agreement > 0.8
