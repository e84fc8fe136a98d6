"""The files of a checkout, read once."""
import pathlib
import subprocess

CXX = (".h", ".cc", ".inc")


class Tree:
    def __init__(self, root):
        """Files of the repository, those not added yet included."""
        self.root = pathlib.Path(root)
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
        self.paths = sorted(p for p in listed.stdout.splitlines() if (self.root / p).is_file())
        self.folders = {str(parent) for path in self.paths for parent in pathlib.PurePosixPath(path).parents}
        self._texts = {}

    def text(self, path):
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(encoding="utf-8", errors="replace")
        return self._texts[path]

    def select(self, *endings, below=""):
        return [path for path in self.paths if path.endswith(endings) and path.startswith(below)]

    def sources(self):
        """C++ of src/ without tests, benches and the headers that tests share."""
        return [path for path in self.select(*CXX, below="src/") if not is_test(path)]


def is_test(path):
    name = path.split("/")[-1]
    return name.endswith(("_test.cc", "_bench.cc")) or name.startswith("test_") and name.endswith(".h")
