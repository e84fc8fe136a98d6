#!/usr/bin/env python3
"""Checks what no compiler sees: READMEs, links, registries, file sizes."""
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README_LINES, SOURCE_LINES, FILE_BYTES, MEDIAN_LINES = 15, 350, 1 << 20, 150
NAMED_FILE = re.compile(r"`([\w./-]+\.(?:h|cc|md|py|inc|txt|sh|cmake|json|onnxtxt))`")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
MAKER = re.compile(r"\b(Make\w+(?:Method|Pass|Target|Format))\(")


def tracked(root):
    """Files of the repository, those not added yet included."""
    output = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
    return [root / line for line in output.stdout.splitlines() if (root / line).is_file()]


def readme_problems(root):
    """Each folder of src/ has a short README, and the files that any README names are there."""
    for folder in sorted(p for p in (root / "src").iterdir() if p.is_dir() and any(p.rglob("*.cc"))):
        readme = folder / "README.md"
        if not readme.exists():
            yield f"src/{folder.name}: no README.md"
            continue
        lines = len(readme.read_text().splitlines())
        if lines > README_LINES:
            yield f"src/{folder.name}/README.md: {lines} lines, wanted at most {README_LINES}"
        # `x.cc`, where x stands for a name, describes the naming scheme.
        for name in NAMED_FILE.findall(readme.read_text()):
            if re.match(r"x[._]", name.split("/")[-1]):
                continue
            if not any((base / name).exists() for base in (folder, root / "src", root)):
                yield f"src/{folder.name}/README.md: names `{name}`, which does not exist"


def link_problems(root):
    """Relative links of Markdown files lead somewhere."""
    for file in tracked(root):
        if file.suffix == ".md":
            for target in LINK.findall(file.read_text()):
                if "://" not in target and not (file.parent / target).exists():
                    yield f"{file.relative_to(root)}: links to {target}, which does not exist"


def registry_problems(root):
    """What a layer offers to a registry is in it, once, unless its declaration says "not in the default list"."""
    lists = [root / "src" / name for name in ("config/builtins.cc", "formats/number_formats.cc")]
    builtins = "".join(path.read_text() for path in lists if path.exists())
    for header in ("ranges/range_methods.h", "passes/passes.h", "quantize/targets.h", "formats/number_formats.h"):
        path = root / "src" / header
        lines = path.read_text().splitlines() if path.exists() else []
        for maker in MAKER.findall("\n".join(line for line in lines if "not in the default list" not in line)):
            count = builtins.count(f"{maker}()")
            if count != 1:
                yield f"src/{header}: {maker} stands {count} times in its registry, wanted once"


def size_problems(root):
    files = tracked(root)
    for file in files:
        if file.stat().st_size > FILE_BYTES:
            yield f"{file.relative_to(root)}: {file.stat().st_size} bytes, wanted at most {FILE_BYTES}"
    lines = {f: len(f.read_text().splitlines()) for f in files if f.suffix in (".h", ".cc") and root / "src" in f.parents}
    for file, count in lines.items():
        if count > SOURCE_LINES:
            yield f"{file.relative_to(root)}: {count} lines, wanted at most {SOURCE_LINES}"
    if lines and statistics.median(lines.values()) > MEDIAN_LINES:
        yield f"src: the median file has {statistics.median(lines.values())} lines, wanted at most {MEDIAN_LINES}"


def summary(root):
    counts = [len(f.read_text().splitlines()) for f in tracked(root) if f.suffix in (".h", ".cc") and root / "src" in f.parents]
    return f"{len(counts)} sources, {sum(counts)} lines, median {statistics.median(counts):.0f}, longest {max(counts)}"


def problems(root):
    for check in (readme_problems, link_problems, registry_problems, size_problems):
        yield from check(root)


def main():
    found = list(problems(ROOT))
    print("\n".join(found) or f"repository: clean ({summary(ROOT)})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
