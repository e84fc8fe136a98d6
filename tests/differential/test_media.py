"""Images and sound as files against the same values as arrays, decoded by Pillow and by Python's wave module."""
import json
import wave

import numpy as np
import pytest
from PIL import Image

from conftest import DATA

MOBILENET, SILERO = "models/mobilenetv2_1.0.onnx", "models/silero_vad_op18_ifless.onnx"


def need(*names):
    for name in names:
        if not (DATA / name).exists():
            pytest.skip(f"needs {name} in PREON_DATA")


def ranges(preon, *calibrate):
    """What each tensor reached, through `calibrate`."""
    done = preon("calibrate", *calibrate, "-o", "x.calib")
    assert done.returncode == 0, done.stderr
    return json.loads(preon("ranges", "x.calib", "--method", "minmax", "--json").stdout)["tensors"]


@pytest.mark.thorough
@pytest.mark.parametrize("options", [{"quality": 80}, {"lossless": True}])
def test_webp_is_what_pillow_decodes(preon, tmp_path, options):
    need(MOBILENET, "images/imagenet224")
    (tmp_path / "photos").mkdir()
    pixels = []
    for path in sorted((DATA / "images/imagenet224").glob("*.jpg"))[:4]:
        file = tmp_path / "photos" / f"{path.stem}.webp"
        image = Image.open(path).convert("RGB").resize((224, 224))
        if len(pixels) == 3:  # transparency is dropped
            image.putalpha(Image.linear_gradient("L").resize((224, 224)))
        image.save(file, **options)
        pixels.append(np.asarray(Image.open(file).convert("RGB"), np.float32) / 255)
    model = DATA / MOBILENET
    name, = json.loads(preon("inspect", model, "--json").stdout)["inputs"]
    np.savez(tmp_path / "arrays.npz", **{name: np.stack(pixels).transpose(0, 3, 1, 2)})
    assert ranges(preon, model, "--data", "photos", "--preprocess", "unit") == ranges(preon, model, "--data", "arrays.npz")


@pytest.mark.thorough
def test_windows_of_wav_files_are_what_python_reads(preon, tmp_path):
    need(SILERO, "audio/vad")
    windows = []
    for path in sorted((DATA / "audio/vad").glob("*.wav")):
        with wave.open(str(path)) as file:
            sound = np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32) / 32768
        windows.append(np.pad(sound, (0, -len(sound) % 576)).reshape(-1, 576))
    state, rate = np.zeros((2, 1, 128), np.float32), np.array(16000)
    np.savez(tmp_path / "arrays.npz", input=np.concatenate(windows), state=state, sr=rate)
    np.save(tmp_path / "state.npy", state), np.save(tmp_path / "sr.npy", rate)
    model, sound = DATA / SILERO, DATA / "audio/vad"
    assert ranges(preon, model, "--input", f"input={sound}", "--input", "state=state.npy", "--input", "sr=sr.npy",
                  "--preprocess", "window=576,rate=16000") == ranges(preon, model, "--data", "arrays.npz")


def test_arrays_with_channels_at_the_other_end_get_a_hint(preon, tmp_path):
    need(MOBILENET)
    np.save(tmp_path / "x.npy", np.zeros((2, 224, 224, 3), np.float32))
    done = preon.fails(2, 3004, "calibrate", DATA / MOBILENET, "-o", "x.calib", "--data", "x.npy")
    assert "numpy.transpose(x, (0, 3, 1, 2))" in done.stderr
