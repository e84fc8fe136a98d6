"""What a run tells: its progress on a line of a terminal or of a notebook's cell, and its log on stderr."""
import sys
import time

_FIRST_SECONDS, _NEXT_SECONDS = 0.5, 0.2  # quick runs show nothing


class _Display:
    """Called as progress(stage, done, total); `total` is 0 while unknown."""

    def __init__(self):
        self.due = time.monotonic() + _FIRST_SECONDS

    def __call__(self, stage, done, total):
        now = time.monotonic()
        if now >= self.due:
            self.due = now + _NEXT_SECONDS
            self.show(f"{stage}: {done} of {total} ({100 * done // total} %)" if total > 0 else f"{stage}: {done}" if done else stage)

    def show(self, text):
        raise NotImplementedError

    def close(self):
        """Removes the line."""


class _Terminal(_Display):
    width = 0

    def show(self, text):
        sys.stderr.write(f"\r{text:<{self.width}}")
        sys.stderr.flush()
        self.width = max(self.width, len(text))

    def close(self):
        if self.width:
            sys.stderr.write(f"\r{'':<{self.width}}\r")
            sys.stderr.flush()


class _Notebook(_Display):
    handle = None

    def show(self, text):
        from IPython.display import display

        if self.handle is None:
            self.handle = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self.handle.update({"text/plain": text}, raw=True)

    def close(self):
        if self.handle is not None:
            self.handle.update({"text/plain": ""}, raw=True)


def _in_notebook():
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


def display():
    """A display for where this process runs, or None."""
    if _in_notebook():
        return _Notebook()
    return _Terminal() if sys.stderr is not None and sys.stderr.isatty() else None


class Listener:
    """Has the functions that the library calls. `progress` is the function that the caller gave; None: a display; False: nothing."""

    def __init__(self, progress):
        self.shown = display() if progress is None else None
        self.progress = self.shown or progress or None

    def log(self, line):
        """Of a run with the key DebugMode; as the command line writes it."""
        self.close()
        if sys.stderr is not None:
            print(f"preon: {line}", file=sys.stderr, flush=True)

    def close(self):
        if self.shown is not None:
            self.shown.close()
