"""Streaming audio models: each sample is one frame together with the state that the frames before it left."""
import wave

import numpy as np

from tasks.task import Prepared, Task, session

NOISY = ("0015", "0072", "0398")  # the first calibrates, the others judge
VAD_WINDOW, VAD_CONTEXT, VAD_RATE = 512, 64, 16000
DTLN_FRAME, DTLN_HOP = 512, 128
GTCRN_FRAME, GTCRN_HOP = 512, 256
EVERY = 4  # neighbouring frames hardly differ; every fourth one calibrates


def read_wav(path):
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32) / 32768


def pair(data, name):
    return [read_wav(data / "audio/dns3" / f"{name}_{kind}.wav") for kind in ("noisy", "clean")]


def zero_state(spec):
    return np.zeros([size if isinstance(size, int) else 1 for size in spec.shape], np.float32)


def si_sdr(estimate, clean):
    """Scale-invariant signal-to-distortion ratio in dB (Le Roux et al. 2019)."""
    target = clean * (estimate @ clean) / (clean @ clean)
    return 10 * np.log10((target @ target) / ((estimate - target) @ (estimate - target)))


def record(frames, feed):
    frames.append({name: np.copy(value) for name, value in feed.items()})


def stacked(frames):
    """One array per input. An input whose own axis 0 has extent one is stacked there, any other along a new axis."""
    frames = frames[::EVERY]
    join = lambda values: np.concatenate(values) if values[0].ndim and len(values[0]) == 1 else np.stack(values)
    return {name: join([frame[name] for frame in frames]) for name in frames[0]}


def run_dtln(first, second, noisy, record_first=None, record_second=None):
    """Overlap-add through the two networks: a mask on the magnitudes, then a filter on the waveform."""
    specs = [network.get_inputs() for network in (first, second)]
    state = [zero_state(inputs[1]) for inputs in specs]
    buffer, tail, out = np.zeros(DTLN_FRAME, np.float32), np.zeros(DTLN_FRAME, np.float32), []
    for start in range(0, len(noisy) - DTLN_HOP + 1, DTLN_HOP):
        buffer = np.concatenate([buffer[DTLN_HOP:], noisy[start:start + DTLN_HOP]])
        spectrum = np.fft.rfft(buffer)
        feed = {specs[0][0].name: np.abs(spectrum).astype(np.float32)[None, None], specs[0][1].name: state[0]}
        record_first is None or record(record_first, feed)
        mask, state[0] = first.run(None, feed)
        masked = np.fft.irfft(spectrum * mask[0, 0]).astype(np.float32)
        feed = {specs[1][0].name: masked[None, None], specs[1][1].name: state[1]}
        record_second is None or record(record_second, feed)
        block, state[1] = second.run(None, feed)
        tail = np.concatenate([tail[DTLN_HOP:], np.zeros(DTLN_HOP, np.float32)]) + block[0, 0]
        out.append(tail[:DTLN_HOP].copy())
    # The first whole frame leaves when DTLN_FRAME - DTLN_HOP samples have passed.
    delay = DTLN_FRAME - DTLN_HOP
    return np.concatenate(out)[delay:], delay


def dtln(data, model, reference):
    """Both networks, the one under test in place of its float form."""
    return [session(model if reference.name == name else data / "models" / name, threads=1)
            for name in ("dtln_model_1.onnx", "dtln_model_2.onnx")]


def prepare_dtln(which):
    def prepare(data, built):
        sets = []
        for name in NOISY[:2]:
            frames = ([], [])
            run_dtln(*dtln(data, None, data / "none"), pair(data, name)[0], *frames)
            sets.append(stacked(frames[which]))
        return Prepared(*sets)
    return prepare


def score_dtln(evaluation):
    networks = dtln(evaluation.data, evaluation.model, evaluation.reference)
    values = []
    for noisy, clean in (pair(evaluation.data, name) for name in NOISY[1:]):
        enhanced, _ = run_dtln(*networks, noisy)
        values.append(si_sdr(enhanced, clean[: len(enhanced)]))
    return float(np.mean(values))


def run_gtcrn(network, noisy, frames=None):
    """Frame by frame through the network, with the square root of a Hann window before and after."""
    window = np.sqrt(np.hanning(GTCRN_FRAME + 1)[:-1])
    inputs, outputs = network.get_inputs(), [spec.name for spec in network.get_outputs()]
    state = [zero_state(spec) for spec in inputs[1:]]
    padded = np.pad(noisy, (GTCRN_HOP, GTCRN_HOP))
    out = np.zeros(len(padded))
    for start in range(0, len(padded) - GTCRN_FRAME + 1, GTCRN_HOP):
        spectrum = np.fft.rfft(padded[start:start + GTCRN_FRAME] * window)
        mix = np.stack([spectrum.real, spectrum.imag], -1).astype(np.float32)[None, :, None]
        feed = {inputs[0].name: mix, **{spec.name: value for spec, value in zip(inputs[1:], state)}}
        frames is None or record(frames, feed)
        enhanced, *state = network.run(outputs, feed)
        out[start:start + GTCRN_FRAME] += np.fft.irfft(enhanced[0, :, 0, 0] + 1j * enhanced[0, :, 0, 1]) * window
    return out[GTCRN_HOP:GTCRN_HOP + len(noisy)].astype(np.float32)


def prepare_gtcrn(data, built):
    network, sets = session(data / "models/gtcrn_stream_simple.onnx", threads=1), []
    for name in NOISY[:2]:
        frames = []
        run_gtcrn(network, pair(data, name)[0], frames)
        sets.append(stacked(frames))
    return Prepared(*sets)


def score_gtcrn(evaluation):
    network = session(evaluation.model, threads=1)
    return float(np.mean([si_sdr(run_gtcrn(network, noisy), clean)
                          for noisy, clean in (pair(evaluation.data, name) for name in NOISY[1:])]))


def run_silero(network, speech, frames=None):
    """Probability of speech per window of 32 ms."""
    state, context, out = np.zeros((2, 1, 128), np.float32), np.zeros(VAD_CONTEXT, np.float32), []
    for start in range(0, len(speech) - VAD_WINDOW + 1, VAD_WINDOW):
        chunk = np.concatenate([context, speech[start:start + VAD_WINDOW]])
        feed = {"input": chunk[None], "state": state, "sr": np.array(VAD_RATE, np.int64)}
        frames is None or record(frames, feed)
        probability, state = network.run(["output", "stateN"], feed)
        context = chunk[-VAD_CONTEXT:]
        out.append(float(probability[0, 0]))
    return np.array(out)


def prepare_silero(data, built):
    network, sets = session(data / "models/silero_vad_op18_ifless.onnx", threads=1), []
    for name in ("silero_test.wav", "en_num.wav"):
        frames = []
        run_silero(network, read_wav(data / "audio/vad" / name), frames)
        sets.append(stacked(frames))
    return Prepared(*sets)


def score_silero(evaluation):
    """Windows judged as the float model judges them (speech or not), in percent; float scores 100."""
    speech = read_wav(evaluation.data / "audio/vad/en_num.wav")
    ours, theirs = (run_silero(session(path, threads=1), speech) > 0.5 for path in (evaluation.model, evaluation.reference))
    return 100 * float((ours == theirs).mean())


TASKS = [
    Task("dtln_model_1", "SI-SDR dB", prepare_dtln(0), score_dtln),
    Task("dtln_model_2", "SI-SDR dB", prepare_dtln(1), score_dtln),
    Task("gtcrn_stream_simple", "SI-SDR dB", prepare_gtcrn, score_gtcrn),
    Task("silero_vad_op18_ifless", "windows as float %", prepare_silero, score_silero),
]
