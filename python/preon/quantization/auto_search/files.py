"""Files of a search."""
import contextlib
import json
import os
import pathlib


@contextlib.contextmanager
def replaced(path):
    """A path to write to; the file is there under its own name once it is whole."""
    part = pathlib.Path(f"{path}.part")
    yield part
    os.replace(part, path)


def write_json(path, value):
    with replaced(path) as part:
        part.write_text(json.dumps(value, indent=2) + "\n")
