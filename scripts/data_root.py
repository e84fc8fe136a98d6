"""Where models and data for tests and benchmarks lie, and the stored runs of other tools."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: Facts that tests compare with; part of the repository.
QUARK = ROOT / "testdata/quark"


def cache_root():
    """As ./dev chooses it."""
    return pathlib.Path(os.environ.get("PREON_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "preon")


def data_root():
    """PREON_DATA; else ../shared/data where it is; else what `./dev data` fetched."""
    if given := os.environ.get("PREON_DATA"):
        return pathlib.Path(given)
    beside = ROOT.parent / "shared/data"
    return beside if beside.is_dir() else cache_root() / "data"


def is_fetched(folder):
    """Whether `./dev data` made this folder: some of its models stand in for others (scripts/fetch_data)."""
    return (folder / "fetched.json").exists()
