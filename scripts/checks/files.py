"""READMEs, links, sizes of files and folders, format of C++."""
import collections
import re
import shutil
import statistics
import subprocess

README_LINES, SOURCE_LINES, FILE_BYTES, MEDIAN_LINES, COLUMNS, FOLDER_SOURCES = 15, 350, 1 << 20, 150, 120, 50
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
#: Folders that may hold more sources, since each file is one thing of a registry: a pass.
REGISTRY_FOLDERS = {"src/passes"}


def readme_problems(tree):
    """Each folder of src/ has a short README."""
    for layer in sorted({path.split("/")[1] for path in tree.select(".cc", below="src/")}):
        readme = f"src/{layer}/README.md"
        if readme not in tree.paths:
            yield f"src/{layer}: no README.md"
        elif (lines := len(tree.text(readme).splitlines())) > README_LINES:
            yield f"{readme}: {lines} lines, wanted at most {README_LINES}"


def link_problems(tree):
    """Relative links of Markdown files lead somewhere."""
    for path in tree.select(".md"):
        for target in LINK.findall(tree.text(path)):
            if "://" not in target and not ((tree.root / path).parent / target).exists():
                yield f"{path}: links to {target}, which does not exist"


def size_problems(tree):
    for path in tree.paths:
        if (size := (tree.root / path).stat().st_size) > FILE_BYTES:
            yield f"{path}: {size} bytes, wanted at most {FILE_BYTES}"
    lines = {path: len(tree.text(path).splitlines()) for path in tree.select(".h", ".cc", below="src/")}
    for path, count in lines.items():
        if count > SOURCE_LINES:
            yield f"{path}: {count} lines, wanted at most {SOURCE_LINES}"
    if lines and statistics.median(lines.values()) > MEDIAN_LINES:
        yield f"src: the median file has {statistics.median(lines.values())} lines, wanted at most {MEDIAN_LINES}"


def folder_problems(tree):
    """Folders in which a reader can find things."""
    counts = collections.Counter(path.rsplit("/", 1)[0] for path in tree.sources())
    for folder, count in sorted(counts.items()):
        if count > FOLDER_SOURCES and folder not in REGISTRY_FOLDERS:
            yield f"{folder}: {count} sources without tests, wanted at most {FOLDER_SOURCES}"


def column_problems(tree):
    for path in tree.select(".h", ".cc", ".inc", ".cc.in"):
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            # A graph as text in a raw string of a test is one line per node, however long.
            if len(line) > COLUMNS and not ('R"(' in line and path.startswith("tests/")):
                yield f"{path}:{number}: {len(line)} columns, wanted at most {COLUMNS}"


def format_problems(tree):
    """C++ as clang-format writes it."""
    files = tree.select(".h", ".cc")
    if not files or not (tree.root / ".clang-format").exists():
        return
    if not shutil.which("clang-format"):
        yield "clang-format is not installed; ./dev setup installs it"
        return
    done = subprocess.run(["xargs", "-n50", "clang-format", "--dry-run", "-Werror"], input="\n".join(files), text=True,
                          cwd=tree.root, capture_output=True)
    for path in sorted(set(re.findall(r"^(\S+?):\d+:\d+: error:", done.stderr, re.MULTILINE))):
        yield f"{path}: not as clang-format writes it; ./dev fmt"


def shared_file_problems(tree):
    """Tests run beside each other: a file with a fixed name in the temporary folder is written by several of them at once."""
    for path in tree.select("_test.cc"):
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            if re.search(r"testing::TempDir\(\)\s*\+|\"/tmp/", line):
                yield f"{path}:{number}: a file that tests share; write to a folder of TempDir::Create(testing::TempDir())"


def summary(tree):
    counts = [len(tree.text(path).splitlines()) for path in tree.select(".h", ".cc", below="src/")]
    return f"{len(counts)} sources, {sum(counts)} lines, median {statistics.median(counts):.0f}, longest {max(counts)}"


CHECKS = (readme_problems, link_problems, size_problems, folder_problems, column_problems, format_problems,
          shared_file_problems)
