# %% [markdown]
# # A BERT: MiniLM-L6, sentences to vectors
# Needs `./dev data`. preon has no tokenizer: samples of text come as arrays of word numbers.

# %%
import os
import pathlib
import tempfile

import numpy as np
import onnxruntime
import preon

cache = pathlib.Path(os.environ.get("PREON_CACHE") or pathlib.Path.home() / ".cache/preon")
data = pathlib.Path(os.environ.get("PREON_DATA") or cache / "data")
model, samples = data / "models/minilm_l6.onnx", data / "text/minilm_sst2_calib.npz"
work = pathlib.Path(tempfile.mkdtemp())

# %% [markdown]
# ## Two ways to integers
# Target `dynamic` needs no samples: activations are quantized as they come. The default target chooses fixed ranges on samples.

# %%
dynamic = preon.quantize(model, work / "dynamic.onnx", target="dynamic", progress=False)
arrays = {name: values[:64] for name, values in np.load(samples).items()}
static = preon.quantize(model, work / "static.onnx", data=arrays, method="minmax", threads=1, progress=False)
for name, result in (("dynamic", dynamic), ("static", static)):
    judged = preon.compare(model, work / f"{name}.onnx", data=samples, samples=64, threads=1, progress=False)
    print(f"{name:<8} {judged.size_bytes['quantized'] / 1e6:.0f} MB, SQNR of the embedding {judged.outputs['embedding']['sqnr_db']:.1f} dB")

# %% [markdown]
# ## Which sentences are alike

# %%
words = {word: number for number, word in enumerate((data / "text/minilm_vocab.txt").read_text().splitlines())}
sentences = ["the cat sleeps on the sofa", "a kitten rests on the couch", "the bank raised its interest rates"]


def embed(path, sentence):
    ids = np.array([[words["[CLS]"], *(words[word] for word in sentence.split()), words["[SEP]"]]], np.int64)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    vector = session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
    return vector / np.linalg.norm(vector)


for path in (model, work / "dynamic.onnx", work / "static.onnx"):
    first, second, third = (embed(path, sentence) for sentence in sentences)
    print(f"{path.name:<15} cat and kitten {first @ second:.2f}, cat and bank {first @ third:.2f}")
    assert first @ second > first @ third + 0.2
