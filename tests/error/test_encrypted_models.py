"""`encrypt`, `decrypt`, and `quantize` on encrypted models: nothing readable stays behind, and a wrong key is one clear error."""
import json
import os
import re
import subprocess

import numpy as np
import onnx
import pytest
from folder_events import FolderEvents
from onnx import numpy_helper

DIGITS = bytes(range(32)).hex()
QUICK = ("--effort", "fast", "--always-write")


@pytest.fixture
def key(tmp_path):
    (tmp_path / "key").write_bytes(os.urandom(32))
    (tmp_path / "key").chmod(0o600)
    return "key"


@pytest.fixture
def encrypted(preon, model, key):
    done = preon("encrypt", model, "-o", "model.enc", "--key-file", key)
    assert done.returncode == 0 and "warning" not in done.stdout, (done.stdout, done.stderr)
    return "model.enc"


def secrets_of(path):
    """What tells of a model: names of its nodes and tensors, and its weights."""
    graph = onnx.load(path).graph
    names = {node.name for node in graph.node} | {name for node in graph.node for name in [*node.input, *node.output]}
    weights = [numpy_helper.to_array(tensor).tobytes() for tensor in graph.initializer]
    return [*(name.encode() for name in names if len(name) > 3), *(weight[:64] for weight in weights if len(weight) >= 64)]


def test_there_and_back(preon, model, key, encrypted):
    plain = (preon.folder / model).read_bytes()
    found = [secret for secret in secrets_of(preon.folder / model) if secret in (preon.folder / encrypted).read_bytes()]
    assert len(secrets_of(preon.folder / model)) > 3 and not found
    done = preon("decrypt", encrypted, "-o", "back.onnx", "--key-file", key)
    assert done.returncode == 0 and (preon.folder / "back.onnx").read_bytes() == plain, done.stderr


def test_the_result_is_that_of_the_plain_model(preon, model, data, key, encrypted, tmp_path):
    (temporary := tmp_path / "temporary").mkdir()
    with FolderEvents(tmp_path, temporary) as made:
        done = preon("quantize", encrypted, "-o", "small.enc", "--data", data, "--key-file", key, "--always-write", env={**os.environ, "TMPDIR": str(temporary)})
    assert done.returncode == 0, done.stderr
    assert {re.sub("tmp-[0-9a-f]+$", "tmp-N", name) for name in made.names} == {"small.enc", ".small.enc.preon-tmp-N"}
    assert preon("decrypt", "small.enc", "-o", "small.onnx", "--key-file", key).returncode == 0
    assert preon("quantize", model, "-o", "plain.onnx", "--data", data, "--always-write").returncode == 0
    assert (preon.folder / "small.onnx").read_bytes() == (preon.folder / "plain.onnx").read_bytes()
    told = done.stdout + done.stderr
    assert not [secret for secret in secrets_of(preon.folder / "plain.onnx") if secret in (preon.folder / "small.enc").read_bytes() or secret in told.encode()]


def test_nothing_is_told_of_the_model(preon, data, key, encrypted):
    done = preon("quantize", encrypted, "-o", "small.enc", "--data", data, "--key-file", key, *QUICK, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["crypto_mode"] and set(told) == {"schema", "verb", "version", "seconds", "peak_rss_bytes", "model", "output", "size_bytes", "crypto_mode", "warnings"}
    assert told["size_bytes"] == {"quantized": (preon.folder / "small.enc").stat().st_size}


def test_the_key_of_the_environment(preon, model, data):
    own = {**os.environ, "PREON_KEY": DIGITS}
    for verb, *arguments in (("encrypt", model, "-o", "m.enc"), ("quantize", "m.enc", "-o", "q.enc", "--data", data, *QUICK), ("decrypt", "q.enc", "-o", "q.onnx")):
        done = preon(verb, *arguments, env=own)
        assert done.returncode == 0 and DIGITS not in done.stdout + done.stderr, done.stderr
    (preon.folder / "digits").write_text(DIGITS + "\n")
    assert preon("decrypt", "q.enc", "-o", "q2.onnx", "--key-file", "digits").returncode == 0
    assert (preon.folder / "q2.onnx").read_bytes() == (preon.folder / "q.onnx").read_bytes()
    assert preon("quantize", model, "-o", "plain.onnx", "--data", data, *QUICK, env=own).returncode == 0  # of no account for plain models
    onnx.load(preon.folder / "plain.onnx")
    preon.fails(2, 1002, "decrypt", "q.enc", "-o", "o.onnx", says="PREON_KEY: got text that is no key", env={**os.environ, "PREON_KEY": "0" * 63})


def without_key():
    return {name: value for name, value in os.environ.items() if name != "PREON_KEY"}


def test_a_missing_key(preon, data, encrypted):
    for verb, more in (("quantize", ["--data", data]), ("decrypt", [])):
        preon.fails(2, 1003, verb, encrypted, "-o", "o", *more, says="no key; wanted --key-file FILE, or the environment variable PREON_KEY", env=without_key())
    preon.fails(2, 1008, "decrypt", encrypted, "-o", "o", "--key-file", "gone", says="gone: no such file")
    (preon.folder / "short").write_bytes(b"S" * 31)
    done = preon.fails(2, 1002, "decrypt", encrypted, "-o", "o", "--key-file", "short", says="short: got 31 bytes that are no key")
    assert "SS" not in done.stderr


def test_a_wrong_key_and_a_changed_file(preon, data, key, encrypted):
    (preon.folder / "other").write_bytes(b"o" * 32)
    says = "model.enc: the key is another one, or the file was changed or cut short"
    for verb, more in (("quantize", ["--data", data]), ("decrypt", [])):
        preon.fails(2, 2016, verb, encrypted, "-o", "o", "--key-file", "other", *more, says=says)
    content = bytearray((preon.folder / encrypted).read_bytes())
    content[len(content) // 2] ^= 1
    (preon.folder / encrypted).write_bytes(content)
    preon.fails(2, 2016, "quantize", encrypted, "-o", "o", "--data", data, "--key-file", key, says=says)
    (preon.folder / encrypted).write_bytes(content[:30])
    preon.fails(2, 2016, "decrypt", encrypted, "-o", "o", "--key-file", key, says=says)


def test_others_may_read_the_key(preon, model, data, key, encrypted):
    (preon.folder / key).chmod(0o644)
    for verb, *arguments in (("encrypt", model, "-o", "o.enc"), ("quantize", encrypted, "-o", "q.enc", "--data", data, *QUICK), ("decrypt", encrypted, "-o", "o.onnx")):
        done = preon(verb, *arguments, "--key-file", key)
        assert done.returncode == 0 and "other users may read the key (mode 0644)" in done.stdout, (done.stdout, done.stderr)


def test_failures_tell_number_and_title_alone(preon, data, key, encrypted):
    preon.fails(2, 1006, "quantize", encrypted, "-o", "o", "--data", data, "--key-file", key, "--exclude", "hidden_name",
                says="quantize: an option names a node or tensor that is not in the model (in crypto mode no more is told)")
    np.save(preon.folder / "wrong.npy", np.zeros((4, 7, 9), np.float32))
    done = preon.fails(2, 3004, "quantize", encrypted, "-o", "o", "--data", "wrong.npy", "--key-file", key, says="(in crypto mode no more is told)")
    assert "[" not in done.stderr.partition("]")[2]  # no shape, no hint with one


@pytest.mark.parametrize("option", [("--save-and-restore", "r.json"), ("--save-histograms", "folder"), ("--report", "r.json"), ("--external-data",),
                                    ("--resume",), ("--checkpoint", "1")], ids=lambda option: option[0])
def test_options_that_write(preon, data, key, encrypted, option):
    preon.fails(2, 1004, "quantize", encrypted, "-o", "o", "--data", data, "--key-file", key, *option, says=f"{option[0]}: can't be used in crypto mode: it writes ")


def test_options_without_effect(preon, data, key, encrypted):
    done = preon("quantize", encrypted, "-o", "q.enc", "--data", data, "--key-file", key, *QUICK, "--workers", "2", "--tmp-dir", "here")
    assert done.returncode == 0, done.stderr
    assert "--workers: got 2; one process is used in crypto mode" in done.stdout and "--tmp-dir: has no effect in crypto mode" in done.stdout
    assert list((preon.folder / "here").iterdir()) == []


def test_other_verbs_refuse(preon, model, data, encrypted):
    assert preon("quantize", model, "-o", "q.onnx", "--data", data, *QUICK).returncode == 0
    for verb, *arguments in (("calibrate", encrypted, "-o", "o", "--data", data), ("instrument", encrypted, "-o", "o"), ("ranges", encrypted, "--data", data), ("inspect", encrypted),
                             ("passes", encrypted, "-o", "o", "--pass", "fold_constants"), ("run", encrypted, "--data", data), ("compare", encrypted, "q.onnx", "--data", data),
                             ("compare", model, encrypted, "--data", data), ("validate", encrypted, "--data", data), ("search", encrypted, "-o", "o", "--data", data, "--space", '{"method": ["minmax"]}'),
                             ("sensitivity", encrypted, "--data", data), ("report", encrypted, "--data", data), ("lint", encrypted), ("retarget", encrypted, "-o", "o", "--opset", "21"),
                             ("diff", encrypted, model), ("diff", model, encrypted), ("export-qat", encrypted, "-o", "o"), ("encrypt", encrypted, "-o", "o", "--key-file", "key")):
        preon.fails(2, 2015, verb, *arguments, says="model.enc: is encrypted")
    for verb, *arguments in (("calibrate", model, "-o", "o", "--data", data), ("instrument", model, "-o", "o"), ("ranges", model, "--data", data)):
        preon.fails(2, 1004, verb, *arguments, "--option", "CryptoMode=true", says=f"CryptoMode: can't be used with {verb}")


def test_what_is_not_encrypted(preon, model, data, key):
    preon.fails(2, 1004, "quantize", model, "-o", "o", "--data", data, "--key-file", key, says="--key-file: the model 'model.onnx' is not encrypted")
    preon.fails(2, 2001, "quantize", "gone.enc", "-o", "o", "--data", data, "--key-file", key, says="gone.enc: no such file")
    preon.fails(2, 1004, "quantize", model, "-o", "o", "--data", data, "--option", "CryptoMode=true",
                says="For the crypto mode, the input model should be in onnx.ModelProto format")
    preon.fails(2, 2016, "decrypt", model, "-o", "o", "--key-file", key, says="model.onnx: is no file that 'preon encrypt' has made")
    preon.fails(2, 2001, "encrypt", "gone.onnx", "-o", "o", "--key-file", key)
    preon.fails(2, 1003, "encrypt", model, "--key-file", key, says="encrypt: no output")
    (preon.folder / "text").write_text("no model")
    preon.fails(2, 2003, "encrypt", "text", "-o", "o", "--key-file", key)
    for output in (model, key):
        preon.fails(2, 1004, "encrypt", model, "-o", output, "--key-file", key, says="is an input")


def test_no_pipe_gets_a_model(preon, key, encrypted):
    for output in ("/dev/stdout", "/dev/null"):
        preon.fails(1, 7002, "decrypt", encrypted, "-o", output, "--key-file", key, says=f"{output}: can't write: is no regular file")


def test_the_key_in_place_of_its_file(preon, data, encrypted):
    for verb, more in (("quantize", ["--data", data]), ("decrypt", [])):
        done = preon.fails(2, 1008, verb, encrypted, "-o", "o", "--key-file", DIGITS, *more, says="its name is not shown, because it looks like a key")
        assert DIGITS not in done.stderr and "PREON_KEY takes hexadecimal digits" in done.stderr


def test_weights_beside_the_model(preon, model, key):
    onnx.save(onnx.load(preon.folder / model), preon.folder / "two.onnx", save_as_external_data=True, location="two.bin", size_threshold=0)
    done = preon.fails(2, 1007, "encrypt", "two.onnx", "-o", "o", "--key-file", key, says="only a model in one file can be encrypted")
    assert "two.bin" in done.stderr


def test_files_of_quark(preon, model, data):
    """Made by openssl's own program: 16 bytes to start with, then AES-256-CBC."""
    start, key = os.urandom(16), os.urandom(32)
    (preon.folder / "quark.key").write_bytes(start + key)
    (preon.folder / "quark.key").chmod(0o600)
    made = subprocess.run(["openssl", "enc", "-aes-256-cbc", "-K", key.hex(), "-iv", start.hex()], input=(preon.folder / model).read_bytes(), capture_output=True, check=True)
    (preon.folder / "quark.enc").write_bytes(start + made.stdout)
    done = preon("decrypt", "quark.enc", "-o", "back.onnx", "--key-file", "quark.key")
    assert done.returncode == 0 and (preon.folder / "back.onnx").read_bytes() == (preon.folder / model).read_bytes(), done.stderr
    (preon.folder / "quark.key").write_bytes(start + key[::-1])
    preon.fails(2, 2016, "decrypt", "quark.enc", "-o", "o", "--key-file", "quark.key", says="is no file that AMD Quark encrypted with this key")
    preon.fails(2, 1002, "encrypt", model, "-o", "o", "--key-file", "quark.key", says="a key of AMD Quark's files")
