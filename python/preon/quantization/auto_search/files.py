"""Files of a search."""
import json
import os
import pathlib


def write_json(path, value):
    """Whole or not at all."""
    part = pathlib.Path(f"{path}.part")
    part.write_text(json.dumps(value, indent=2) + "\n")
    os.replace(part, path)
