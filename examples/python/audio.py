# %% [markdown]
# # Sound: noise suppression with DTLN, two networks with LSTM
# Needs `./dev data`. Each frame of 8 ms goes through both networks, and their states go on to the next frame.

# %%
import os
import pathlib
import tempfile
import wave

import numpy as np
import onnxruntime
import preon

cache = pathlib.Path(os.environ.get("PREON_CACHE") or pathlib.Path.home() / ".cache/preon")
data = pathlib.Path(os.environ.get("PREON_DATA") or cache / "data")
models = [data / f"models/dtln_model_{number}.onnx" for number in (1, 2)]
work = pathlib.Path(tempfile.mkdtemp())

# %% [markdown]
# ## Quantize
# Target `dynamic` is the one that quantizes LSTM; it needs no samples.

# %%
int8 = [work / model.name for model in models]
for model, path in zip(models, int8):
    result = preon.quantize(model, path, target="dynamic", progress=False)
    print(f"{model.name}: {result.size_bytes['float'] / 1e6:.1f} MB -> {result.size_bytes['quantized'] / 1e6:.1f} MB")

# %% [markdown]
# ## Listen

# %%
def read(name):
    with wave.open(str(data / "audio/dns3" / name)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32) / 32768


def denoise(paths, noisy, frame=512, hop=128):
    networks = [onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]) for path in paths]
    names = [[value.name for value in network.get_inputs()] for network in networks]
    states = [np.zeros((1, 2, 128, 2), np.float32) for _ in networks]
    buffer, tail, out = np.zeros(frame, np.float32), np.zeros(frame, np.float32), []
    for start in range(0, len(noisy) - hop + 1, hop):
        buffer = np.concatenate([buffer[hop:], noisy[start:start + hop]])
        spectrum = np.fft.rfft(buffer)
        mask, states[0] = networks[0].run(None, {names[0][0]: np.abs(spectrum).astype(np.float32)[None, None], names[0][1]: states[0]})
        masked = np.fft.irfft(spectrum * mask[0, 0]).astype(np.float32)
        block, states[1] = networks[1].run(None, {names[1][0]: masked[None, None], names[1][1]: states[1]})
        tail = np.concatenate([tail[hop:], np.zeros(hop, np.float32)]) + block[0, 0]
        out.append(tail[:hop])
    return np.concatenate(out)[frame - hop:]


def si_sdr(estimate, clean):
    """Scale-invariant signal-to-distortion ratio in dB (Le Roux et al. 2019)."""
    target = clean * (estimate @ clean) / (clean @ clean)
    return 10 * np.log10((target @ target) / ((estimate - target) @ (estimate - target)))


noisy, clean = read("0072_noisy.wav"), read("0072_clean.wav")
print(f"noisy {si_sdr(noisy, clean):.1f} dB")
for name, paths in (("float", models), ("INT8", int8)):
    heard = denoise(paths, noisy)
    print(f"{name} {si_sdr(heard, clean[:len(heard)]):.1f} dB")
