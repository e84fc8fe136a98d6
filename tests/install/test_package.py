"""`./dev package`: a wheel, a Debian package and a bill of materials that run where nothing else is, and have the same bytes each time."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build")
EXAMPLE = ROOT / "examples/glyphs"
#: Libraries that every Linux has which a wheel may name (PEP 600).
OF_THE_SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z)\.so\.\d+|ld-linux-x86-64\.so\.2")
#: Packed libraries -> what the bill of materials calls them.
MATERIALS = {"onnxruntime": "onnxruntime", "protobuf": "protobuf", "crypto": "openssl", "hwy": "highway", "jpeg": "libjpeg-turbo", "webp": "libwebp",
             "yaml-cpp": "yaml-cpp"}
pytestmark = pytest.mark.slow


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def bare(*folders):
    """An environment without a compiler, and without anything of the build."""
    return {"PATH": ":".join(map(str, folders)), "HOME": os.environ["HOME"], "LANG": "C.UTF-8"}


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """Two folders, each with all packages: made one after the other, from the same commit."""
    if not (BUILD / "cmake_install.cmake").exists():
        pytest.skip(f"no build in {BUILD}; ./dev test makes one")
    if not shutil.which("dpkg-shlibdeps"):
        pytest.skip("dpkg-shlibdeps is not installed: no Debian package can be made")
    folders = [tmp_path_factory.mktemp(name) for name in ("one", "other")]
    for folder in folders:
        run(sys.executable, ROOT / "scripts/package.py", "--to", folder)
    return folders


def only(folder, pattern):
    (found,) = folder.glob(pattern)
    return found


def test_equal_sources_give_equal_bytes(packages):
    one, other = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in packages)
    assert len(one) == 3 and one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []


def test_the_wheel_runs_without_a_compiler(packages, tmp_path):
    wheel = only(packages[0], "*.whl")
    assert re.search(r"-manylinux_2_\d+_x86_64\.whl$", wheel.name), wheel.name
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    clean = bare(tmp_path / "venv/bin")
    run(tmp_path / "venv/bin/python", "-m", "pip", "install", wheel, env=clean)
    said = run(tmp_path / "venv/bin/preon", "quantize", EXAMPLE / "model.onnx", "-o", "q.onnx", "--data", EXAMPLE / "calib.npz", env=clean, cwd=tmp_path)
    assert "integer" in said and (tmp_path / "q.onnx").exists()
    code = f"import preon; print(preon.quantize('{EXAMPLE}/model.onnx', 'p.onnx', data='{EXAMPLE}/calib.npz').output)"
    assert "p.onnx" in run(tmp_path / "venv/bin/python", "-c", code, env=clean, cwd=tmp_path)
    assert (tmp_path / "p.onnx").read_bytes() == (tmp_path / "q.onnx").read_bytes()


def test_the_wheel_brings_what_not_every_linux_has(packages, tmp_path):
    zipfile.ZipFile(only(packages[0], "*.whl")).extractall(tmp_path)
    binaries = [*tmp_path.rglob("*.so*"), tmp_path / "preon/bin/preon"]
    packed = {binary.name for binary in binaries}
    for binary in binaries:
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", binary))
        assert [name for name in needed if name not in packed and not OF_THE_SYSTEM.fullmatch(name)] == [], binary
    named = {part["name"] for part in json.loads(only(packages[0], "*.json").read_text())["components"]}
    assert {MATERIALS[name] for library in packed for name in MATERIALS if library.startswith(f"lib{name}")} <= named


def test_the_debian_package_runs(packages, tmp_path):
    package = only(packages[0], "*.deb")
    needs = run("dpkg-deb", "-f", package, "Depends")
    assert "libc6" in needs and "libprotobuf" in needs and "onnxruntime" not in needs
    assert " root/root " in run("dpkg-deb", "-c", package).splitlines()[0]
    run("dpkg-deb", "-x", package, tmp_path / "root")
    run(tmp_path / "root/usr/bin/preon", "quantize", EXAMPLE / "model.onnx", "-o", "q.onnx", "--data", EXAMPLE / "calib.npz", env=bare("/usr/bin"),
        cwd=tmp_path)
    assert (tmp_path / "root/usr/share/man/man1/preon-quantize.1.gz").exists()


def test_the_bill_of_materials_is_complete(packages):
    bill = json.loads(only(packages[0], "*.json").read_text())
    assert bill["bomFormat"] == "CycloneDX" and bill["metadata"]["component"]["name"] == "preon"
    assert all(part["version"] and part["licenses"] for part in bill["components"])
