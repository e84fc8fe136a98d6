"""What the binary tells of its own command line: help in groups, completion, manual pages, colors, objects of --json."""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build")
VERBS = ["quantize", "calibrate", "instrument", "merge", "status", "ranges", "analyze", "inspect", "passes", "run", "compare", "validate", "search", "sensitivity", "report", "lint", "retarget", "diff", "export-qat", "encrypt", "decrypt", "doctor",
         "help", "completion", "version"]


def told(preon, *arguments):
    done = preon(*arguments)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def groups(page):
    """Title -> names of the options under it."""
    found = {}
    for line in page.splitlines():
        if re.fullmatch(r"[A-Z].*:", line):
            found[line[:-1]] = names = []
        elif option := re.match(r"  (?:-\w, )?--([a-z0-9-]+)", line):
            names.append(option[1])
    return found


# help

def test_verbs_are_listed(preon):
    listed = json.loads(told(preon, "help", "--json"))
    assert [verb["name"] for verb in listed["verbs"]] == VERBS
    page = told(preon)
    assert all(re.search(rf"^  {verb} +\w", page, re.M) for verb in VERBS)
    assert page == told(preon, "--help") == told(preon, "help")
    assert told(preon, "help", "run") == told(preon, "run", "--help") == told(preon, "run", "-h")


def test_common_options_come_first(preon):
    page = told(preon, "quantize", "--help")
    assert "Usage: preon quantize MODEL [OPTIONS]" in page
    found = groups(page)
    assert list(found)[0] == "Common options" and list(found)[-1] == "Examples"
    assert found["Common options"][:2] == ["output", "data"]
    assert {"method", "target", "activation", "weight", "config", "report"} <= set(found["Common options"])
    assert found["Messages"] == ["json", "quiet", "verbose", "help"]


@pytest.mark.parametrize("verb", VERBS[:12])
def test_every_option_is_in_help_once(preon, verb):
    options = json.loads(told(preon, "doctor", "--options", "--json", "--quiet"))["options"]
    shown = [name for names in groups(told(preon, verb, "--help")).values() for name in names]
    wanted = {option["name"] for option in options if verb in option["verbs"]} | {"json", "quiet", "verbose", "help"}
    assert len(shown) == len(set(shown)) and set(shown) - {"config"} == wanted


def test_lines_of_help_fit(preon):
    for verb in VERBS[:12]:
        options = told(preon, verb, "--help").split("Examples:")[0]
        assert max(map(len, options.splitlines())) <= 100


# completion

def test_bash_completes(preon, tmp_path):
    (tmp_path / "model.onnx").touch()
    (tmp_path / "models").mkdir()
    (tmp_path / "with space.onnx").touch()
    script = tmp_path / "preon.bash"
    script.write_text(told(preon, "completion", "bash") + """
try() {
  COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _preon_complete
  local IFS='|'; echo "${COMPREPLY[*]}"
}
""")
    cases = {
        ("qu",): "quantize", ("",): None, ("help", "qu"): "quantize", ("completion", ""): "bash|zsh|fish",
        ("quantize", "--meth"): "--method|--method-option", ("quantize", "m", "--method", "min"): "minmax|minmse",
        ("quantize", "m", "--method", "=", "min"): "minmax|minmse", ("quantize", "--target", "q"): "quark",
        ("quantize", "--activation", "uint1"): "uint16", ("quantize", "--effort", ""): "fast|default|high",
        ("quantize", "--config", "U8S"): "U8S8|U8S8_AAWS|U8S8_AAWS_ADAROUND|U8S8_AAWS_ADAQUANT", ("quantize", "--method", "minmax", "model."): "model.onnx",
        ("quantize", "--data", "model.onnx", "with"): "with space.onnx", ("quantize", "m", "--samples", ""): "",
        ("passes", "m", "--pass", "fold_if", "fold_const"): "fold_constants", ("run", "m", "--save", "mod"): "models",
        ("quantize", "m", "--option", "CalibDataS"): "CalibDataSize=", ("doctor", "--o"): "--options",
        ("quantize", "--worker"): "--workers",
    }
    calls = [" ".join(["try preon", *(f"'{word}'" for word in words)]) for words in cases]
    done = subprocess.run(["bash", "--norc", "-c", f"source {script}; complete -p preon; " + "; ".join(calls)],
                          cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    first, *answers = done.stdout.splitlines()
    assert first == "complete -F _preon_complete preon" and len(answers) == len(cases)
    for (words, wanted), answer in zip(cases.items(), answers):
        if wanted is None:
            assert answer.split("|") == [*VERBS, "-h", "--help", "-V", "--version"]
        else:
            assert answer == wanted, words


def test_zsh_reads_the_script(preon, tmp_path):
    if not shutil.which("zsh"):
        pytest.skip("zsh is not installed")
    (tmp_path / "_preon").write_text(told(preon, "completion", "zsh"))
    check = "autoload -Uz compinit; compinit -D -u; source ./_preon; print $_comps[preon]"
    done = subprocess.run(["zsh", "-f", "-c", check], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("_preon\n", "")


def test_fish_completes(preon, tmp_path):
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    (tmp_path / "preon.fish").write_text(told(preon, "completion", "fish"))
    check = "source preon.fish; complete -C 'preon qua'; complete -C 'preon quantize --method min'"
    done = subprocess.run(["fish", "--no-config", "-c", check], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "HOME": str(tmp_path)})
    words = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert (words, done.stderr) == (["quantize", "minmax", "minmse"], "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_name_all_verbs_and_no_hidden_option(preon, shell):
    script = told(preon, "completion", shell)
    assert all(verb in script for verb in VERBS)
    assert "worker-seen" not in script and "save-and-restore" in script and "layerwise-percentile" in script


# manual pages

@pytest.mark.parametrize("verb", [None, *VERBS])
def test_manual_pages(preon, verb):
    page = told(preon, "help", "--man", *([verb] if verb else []))
    lines = page.splitlines()
    assert lines[0].startswith(".TH PREON" + ("-" + verb.upper() if verb else "").replace("-", r"\-") + " 1 ")
    assert [line for line in lines if line.startswith(".SH")][0] == ".SH NAME"
    assert page.isascii() or "…" in page
    requests = {line.split()[0] for line in lines if line.startswith(".")}
    assert requests <= {".TH", ".SH", ".SS", ".TP", ".nf", ".fi"} and not any(line.startswith("'") for line in lines)
    if not shutil.which("groff"):
        pytest.skip("groff is not installed: the page was not rendered")
    done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww"], input=page, capture_output=True, text=True)
    if "preconv" in done.stderr:
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)
    if verb == "quantize":
        assert "--save-and-restore FILE" in text and "Common options" in text and "preon quantize model.onnx -o" in text


def test_pages_and_completions_are_installed(tmp_path):
    if not (BUILD / "cmake_install.cmake").exists():
        pytest.skip(f"no build in {BUILD}; ./dev test makes one")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path, "--component", "shell"], check=True, capture_output=True)
    files = {str(path.relative_to(tmp_path / "share")) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"man/man1/preon.1", *(f"man/man1/preon-{verb}.1" for verb in VERBS), "zsh/site-functions/_preon",
                     "bash-completion/completions/preon", "fish/vendor_completions.d/preon.fish"}
    binary = os.environ.get("PREON_BIN") or BUILD / "bin/preon"
    script = subprocess.run([binary, "completion", "bash"], capture_output=True, text=True, check=True).stdout
    assert (tmp_path / "share/bash-completion/completions/preon").read_text() == script


# colors

def on_terminal(preon, *arguments, **environment):
    """What a terminal gets of both streams."""
    master, slave = pty.openpty()
    # A bare environment but for what a terminal has.
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = preon.start(*arguments, stdout=slave, stderr=slave, env={**plain, "TERM": "xterm", **environment})
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(master)
    process.wait()
    return shown.decode()


@pytest.mark.parametrize("environment, colored", [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True),
                                                  ({"TERM": "dumb"}, False)])
def test_colors(preon, environment, colored):
    for arguments in (["help"], ["quantize"], ["inspect", str(ROOT / "examples/glyphs/model.onnx"), "--quiet"]):
        assert ("\x1b[" in on_terminal(preon, *arguments, **environment)) == colored, arguments


def test_no_colors_in_pipes_and_objects(preon):
    for arguments in (["help"], ["quantize"], ["doctor", "--quiet"]):
        done = preon(*arguments, env={**os.environ, "TERM": "xterm"})
        assert "\x1b" not in done.stdout + done.stderr
    shown = on_terminal(preon, "doctor", "--json", "--quiet")
    assert json.loads(shown)["schema"] == 2


# --json

def page_fields():
    """verb -> fields in the tables of docs/json.md."""
    text = (ROOT / "docs/json.md").read_text()
    sections = re.split(r"^## ", text, flags=re.M)[1:]
    return {section.split("\n", 1)[0].strip("`"): set(re.findall(r"^\| `([a-z_]+)", section, re.M)) for section in sections}


def check_object(text, verb):
    lines = text.splitlines()
    assert len(lines) == 1
    result = json.loads(lines[0])
    fields = page_fields()
    assert result["schema"] == 2 and result["verb"] == verb
    unknown = set(result) - fields["Every result"] - fields[verb]
    assert not unknown, f"docs/json.md does not name {unknown} of {verb}"
    return result


@pytest.mark.thorough
def test_results_have_a_schema_and_documented_fields(preon, model, data):
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    (preon.folder / "b").mkdir()
    (preon.folder / "key").write_text("0" * 64)
    (preon.folder / "run.json").write_text(json.dumps({"format": 1, "model": model, "model_fingerprint": "0", "results": ["1.calib"]}))
    for verb, arguments in {
            "quantize": [model, "-o", "q.onnx", "--data", data], "calibrate": [model, "-o", "a.calib", "--data", data],
            "merge": ["a.calib", "-o", "m.calib"], "status": ["run.json"], "ranges": ["a.calib"], "analyze": ["a.calib"], "inspect": [model],
            "run": [model, "--data", data, "--save", "b/saved"], "compare": [model, "q.onnx", "--data", data], "lint": ["q.onnx"],
            "retarget": ["q.onnx", "-o", "r.onnx", "--activation", "int8"],
            "search": [model, "--data", data, "--space", '{"method": ["minmax", "minmse"]}', "-o", "s.onnx"],
            "diff": [model, "q.onnx", "--data", data], "export-qat": ["q.onnx", "-o", "training"],
            "encrypt": [model, "-o", "m.enc", "--key-file", "key"], "decrypt": ["m.enc", "-o", "d.onnx", "--key-file", "key"],
            "instrument": [model, "-o", "i.onnx"], "passes": [model, "-o", "p.onnx", "--pass", "fold_constants"],
            "doctor": ["--options"]}.items():
        done = preon(verb, *arguments, "--json")
        assert done.returncode == 0, done.stderr
        check_object(done.stdout, verb)
        for line in done.stderr.splitlines():
            if line.startswith("{"):
                assert json.loads(line)["schema"] == 2
    check_object(preon("inspect", "a.calib", "--json").stdout, "inspect")
    check_object(preon("ranges", "a.calib", "--all-methods", "--json").stdout, "ranges")


@pytest.mark.parametrize("arguments, status, number, hint", [
    ([], 2, 1003, True), (["quantise"], 2, 1001, True), (["quantize"], 2, 1003, False), (["quantize", "-o"], 2, 1002, False),
    (["quantize", "gone.onnx", "-o", "o.onnx", "--data", "random:2"], 2, None, False), (["help", "vrb"], 2, 1001, True),
    (["quantize", "model.onnx", "-o", "o.onnx", "--data", "calib.npz", "--method", "minmx"], 2, 1001, False),
    (["quantize", "model.onnx", "-o", "no/o.onnx", "--data", "calib.npz"], 1, 7003, False),
])
def test_an_error_is_one_object(preon, model, data, arguments, status, number, hint):
    done = preon(*arguments, "--json")
    assert done.returncode == status
    lines = done.stdout.splitlines()
    assert len(lines) == 1
    error = json.loads(lines[0])
    assert set(error) == {"schema", "version", "error"} and error["schema"] == 2
    told_fields = error["error"]
    assert set(told_fields) - {"hint"} == {"id", "status", "message"} and ("hint" in told_fields) == hint
    assert told_fields["status"] == status and (number is None or told_fields["id"] == f"E{number}")
    assert f"preon: error [{told_fields['id']}] {told_fields['message']}" in done.stderr.splitlines()


def test_version_as_an_object(preon):
    version = json.loads(told(preon, "version", "--json"))
    assert version == {"schema": 2, "verb": "version", "version": told(preon, "version").split()[1]}


# --report x.html, metadata

@pytest.mark.thorough
def test_a_report_is_a_page(preon, model, data):
    done = preon("quantize", model, "-o", "q.onnx", "--data", data, "--exclude", "gemm_1", "--report", "r.html", "--always-write", "--quiet", measured=True)
    assert done.returncode == 0, done.stderr
    page = (preon.folder / "r.html").read_text()
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")
    for part in ("model.onnx → q.onnx", "Candidates", "excluded", "gemm_1", "QLinearConv", "Latency", "SQNR"):
        assert part in page, part
    assert not re.search(r'(?:src|href)="?(?!#)|https?:|@import|url\(', page)
    assert preon("compare", model, "q.onnx", "--data", data, "--report", "c.html").returncode == 0
    assert "<h2>Error</h2>" in (preon.folder / "c.html").read_text()


def metadata(path):
    import onnx
    return {entry.key: entry.value for entry in onnx.load(path).metadata_props}


def test_the_model_says_how_it_was_made(preon, model, data, tmp_path):
    import onnx
    named = onnx.load(tmp_path / model)
    named.metadata_props.add(key="labels", value="a,b")
    named.metadata_props.add(key="preon.version", value="0.0.1")
    onnx.save(named, tmp_path / model)
    version = told(preon, "version").split()[1]
    arguments = ["quantize", model, "--data", data, "--quiet", "--method", "percentile", "--method-option", "Percentile=99.9",
                 "--exclude", "gemm_1", "--symmetric"]
    assert preon(*arguments, "-o", "a.onnx", "--threads", "1").returncode == 0
    assert metadata(tmp_path / "a.onnx") == {
        "labels": "a,b", "preon.version": version, "preon.method": "percentile", "preon.target": "ort-cpu",
        "preon.activation": "uint8", "preon.weight": "int8",
        "preon.options": '{"exclude":["gemm_1"],"method_option":{"Percentile":"99.9"},"symmetric":true}',
        "preon.left_float": '{"excluded":["logits"],"no gain":["f1"],"output tail":["p1"]}'}
    # Nothing of paths, folders or threads; the order of options does not matter.
    (tmp_path / "other").mkdir()
    again = [*arguments[:-3], "--symmetric", "--exclude", "gemm_1", "--report", "r.json", "--tmp-dir", "other", "--threads", "2"]
    assert preon(*again, "-o", "other/b.onnx").returncode == 0
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "other/b.onnx").read_bytes()


def test_the_model_says_which_search_its_weights_had(preon, model, data, tmp_path):
    assert preon("quantize", model, "--data", data, "--quiet", "--method", "minmax", "-o", "a.onnx",
                 "--weight-method", "minmse", "--weight-search", "HistCenter").returncode == 0
    assert json.loads(metadata(tmp_path / "a.onnx")["preon.options"]) == {"weight_method": "minmse", "weight_search": "HistCenter"}


def test_the_method_that_auto_selects_is_named(preon, model, data, tmp_path):
    done = preon("quantize", model, "-o", "q.onnx", "--data", data, "--json")
    chosen = next(entry["method"] for entry in json.loads(done.stdout)["candidates"] if entry["selected"])
    told_of = metadata(tmp_path / "q.onnx")
    assert told_of["preon.method"] == chosen and "preon.options" not in told_of
