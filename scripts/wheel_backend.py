"""What pip calls to build the wheel: scikit-build-core, but never inside the source tree.

The wheel is built in a temporary folder that holds links to the sources, laid out as a checkout: two builds at once do not
meet, nothing stays behind, and the compiler's cache finds what `./dev build` compiled, since paths relative to that folder
are the same as those in a checkout.
"""
import contextlib
import os
import pathlib
import shutil
import tempfile

from scikit_build_core import build as backend
from scikit_build_core.build import *  # noqa: F401,F403  (the hooks that stay as they are)


@contextlib.contextmanager
def _linked_checkout():
    source = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory(prefix="preon-wheel-") as folder:
        for entry in source.iterdir():
            if not entry.name.startswith((".", "build")):
                pathlib.Path(folder, entry.name).symlink_to(entry, target_is_directory=entry.is_dir())
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(source)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    wheel_directory = os.path.abspath(wheel_directory)
    # CMake's first choice, as in ./dev build; Python's, often g++, would find nothing in the compiler's cache.
    if shutil.which("c++"):
        os.environ.setdefault("CXX", "c++")
    with _linked_checkout():
        return backend.build_wheel(wheel_directory, config_settings, metadata_directory)
