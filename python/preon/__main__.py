"""The command line: `python -m preon`, `preon`."""
import os
import pathlib
import sys

_PLACES = ("bin/preon", "../../bin/preon")  # in a wheel, in a build


def main():
    folder = pathlib.Path(__file__).resolve().parent
    for place in _PLACES:
        if os.access(folder / place, os.X_OK):
            program = str((folder / place).resolve())
            os.execv(program, [program, *sys.argv[1:]])
    sys.exit(f"preon: error: the program is not in {folder / _PLACES[0]}")


if __name__ == "__main__":
    main()
