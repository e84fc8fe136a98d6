"""The installed package: found by CMake, linked, run, outside of the source and build trees."""
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build")
EXAMPLE = ROOT / "examples/glyphs"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """What `cmake --install` leaves, moved once: a package must not remember where it was installed first."""
    if not (BUILD / "cmake_install.cmake").exists():
        pytest.skip(f"no build in {BUILD}; ./dev test makes one")
    first = tmp_path_factory.mktemp("install") / "first"
    run("cmake", "--install", BUILD, "--prefix", first)
    return first.rename(first.parent / "moved")


@pytest.fixture(scope="module")
def consumer(prefix, tmp_path_factory):
    """examples/cpp, copied away from the sources and built against the package."""
    folder = tmp_path_factory.mktemp("consumer")
    for name in ("CMakeLists.txt", "quantize.cc"):
        (folder / name).write_text((ROOT / "examples/cpp" / name).read_text())
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", folder / "build")
    return folder / "build/quantize"


@pytest.fixture
def samples(tmp_path):
    np.load(EXAMPLE / "calib.npz")["image"][:64].tofile(tmp_path / "samples.f32")
    return tmp_path / "samples.f32"


def test_example_quantizes_with_its_own_callback(consumer, samples, tmp_path):
    out = tmp_path / "int8.onnx"
    text = run(consumer, EXAMPLE / "model.onnx", out, samples, cwd=tmp_path)
    assert float(re.search(r"multiplications in integers: ([\d.]+) %", text).group(1)) > 90
    assert 0 < out.stat().st_size < (EXAMPLE / "model.onnx").stat().st_size / 2


def test_example_reports_what_is_wrong(consumer, samples, tmp_path):
    done = subprocess.run([consumer, tmp_path / "none.onnx", tmp_path / "out.onnx", samples], capture_output=True, text=True)
    assert done.returncode == 2 and "none.onnx" in done.stderr
    assert not (tmp_path / "out.onnx").exists()


def test_installed_binary_finds_its_libraries(prefix, tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    run(prefix / "bin/preon", "quantize", EXAMPLE / "model.onnx", "-o", tmp_path / "out.onnx", "--data", EXAMPLE / "calib.npz",
        env=environment, cwd=tmp_path)


def test_run_paths_lead_beside_the_file_only(prefix):
    """An empty or relative element is the folder one happens to be in: whoever may write there would run code in preon."""
    files = [file for folder in (BUILD, prefix) for name in ("bin/preon*", "lib*/**/libpreon*.so", "python/preon/_preon*.so")
             for file in folder.glob(name)]
    assert len(files) > 10
    for file in files:
        for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", run("readelf", "-d", file)):
            assert all(re.fullmatch(r"\$ORIGIN(/.*)?", each) for each in path.split(":")), f"{file}: {path}"


@pytest.mark.parametrize("where", ["build", "installed"])
def test_libraries_of_the_current_folder_are_not_loaded(prefix, where, tmp_path):
    binary = (BUILD if where == "build" else prefix) / "bin/preon"
    needed = re.findall(r"^\s*(\S+) =>", run("ldd", binary), re.M)
    assert "libonnxruntime.so.1" in needed
    for name in needed:
        (tmp_path / name).write_bytes(b"planted")  # loading one of them ends the program
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    assert "preon" in run(binary, "--version", cwd=tmp_path, env=environment)


def test_library_shows_its_interface_only(prefix):
    library = next(prefix.glob("lib*/**/libpreon.so"))
    symbols = run("nm", "-D", "--defined-only", "--demangle", library).splitlines()
    ours = [line.split(" ", 2)[2] for line in symbols if " T " in line]
    assert any(name.startswith("preon::Quantize(") for name in ours)
    inside = [name for name in ours if re.match(r"(onnx|google|hwy|nlohmann|preon::(?!(Quantize|Calibrate|Ranges|Merge|RunStatus|Analyze|Inspect|Instrument|Compare|Diff|Passes|Lint|Retarget|ExportQat|Encrypt|Decrypt|IsCryptoRun|Search|Sensitivity|Validate|MakeReport|Run)\(preon::QuantizeOptions|Version))", name)]
    assert inside == []


@pytest.mark.parametrize("name, registrations", [("observers", ["RegisterCustomOps"]),
                                                 ("ops", ["RegisterCustomOps", "RegisterCustomOpsAltName"])])
def test_libraries_for_other_programs_stand_alone(prefix, name, registrations):
    """Its registration is all that shows, and it has neither a runtime nor an ONNX library of its own."""
    library = next(prefix.glob(f"lib*/**/libpreon_{name}.so"))
    symbols = run("nm", "-D", "--defined-only", library).split()
    assert sorted(symbols[2::3]) == registrations
    needed = run("readelf", "-d", library)
    assert "libc.so" in needed
    assert "onnxruntime" not in needed and "protobuf" not in needed
