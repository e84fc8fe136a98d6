"""What pages name is there: files, folders, passes, algorithms, tests, layers."""
import re

import check_layers
from checks.registries import ALGORITHM, listed_algorithms

BACKTICKED = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w./-]+\.(?:h|cc|inc|cmake|onnxtxt|py|sh|md)")
#: Names of a user's own files in examples, and of files that a build or a run writes.
EXAMPLES = re.compile(r"(^|/)(x|three_sigma|count_values)(_test)?[._]|^(build|DIR|OUT)/|\bNAME\b|^(foo|my_\w+|mine|reader|evaluate|convert)\.py$")
ALGORITHM_NAME = re.compile(r'name\(\) const override \{ return "([\w-]+)"')
PASS_NAME = re.compile(r'(?:\.name = |name\(\) const override \{ return )"([\w-]+)"')
#: A function that makes an entry of a registry; where it makes one of several of a class, the name is in its body.
MAKER = re.compile(r"^std::unique_ptr<\w+> (Make\w+)\(\) \{(.*?)\}", re.MULTILINE | re.DOTALL)
SWITCHED_PASS = re.compile(r"--(?:disable|enable)-pass[= ]([a-z]+_\w+)")
#: A test: of C++ as Suite.Name, of Python by its function. Keys and classes with attributes look like the first.
CXX_TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)")
CXX_TEST_NAME = re.compile(r"[A-Z]\w+\.[A-Z]\w+")
#: What a README of src/ says of the layers below: names, or in words.
MAY_INCLUDE = re.compile(r"May include (no other layer|the layers that its line in `CMakeLists\.txt` names|every layer below \w+/|[a-z]+(?:(?:, | and )[a-z]+)*)")
ALGORITHM_TABLE = "| algorithm | asks for |"
ALGORITHM_PAGE = "docs/design/algorithms.md"
ARCHITECTURE_PAGE = "docs/design/architecture.md"
ORDER_PAGE = "docs/design/passes.md"
#: Section of the page -> how the registry that it lists is filled: passes of float graphs, of Q/DQ graphs.
ORDERS = {"## The order": re.compile(r"\bbuiltins\.passes\.Add\((Make\w+)\(\)\)"),
          "## Passes of quantized graphs": re.compile(r"^  passes\.Add\((Make\w+)\(\)\)", re.MULTILINE)}


def pages(tree):
    return [path for path in tree.select(".md") if path.startswith(("docs/", "src/", "bench/")) or path == "README.md"]


def exists(tree, page, name):
    """Whether `name` is a file or folder: from the page, the root, src/ or docs/; a bare name in a README of src/ is one
    below it, elsewhere any file's own name."""
    name = name.rstrip("/")
    bases = ("", "src/", "docs/", "tests/", "python/preon/", page.rsplit("/", 1)[0] + "/")
    if any(base + name in tree.folders or base + name in tree.paths for base in bases):
        return True
    below = page.rsplit("/", 1)[0] + "/" if page.startswith("src/") and "/" not in name else ""
    return any(path.endswith("/" + name) and path.startswith(below) for path in tree.paths)


def name_problems(tree):
    """Backticked files, and `room/file` without an ending where the room is a folder of src/."""
    layers = {folder.split("/")[1] for folder in tree.folders if re.fullmatch(r"src/\w+", folder)}
    for page in pages(tree):
        for token in BACKTICKED.findall(tree.text(page)):
            if FILE.fullmatch(token):
                if not EXAMPLES.search(token) and not exists(tree, page, token):
                    yield f"{page}: names `{token}`, which does not exist"
            elif re.fullmatch(r"[a-z]\w*(/[\w-]+)*/?", token) and "/" in token and token.split("/")[0] in layers:
                if not exists(tree, page, token) and not any(path.startswith(f"src/{token}.") for path in tree.paths):
                    yield f"{page}: names `{token}`, which is no folder and no file of src/"


def registered_names(tree, add):
    """Names in the order of the registry that `add` fills."""
    names = {}
    for path in tree.select(".cc", below="src/"):
        own = PASS_NAME.search(tree.text(path))
        for maker, body in MAKER.findall(tree.text(path)):
            name = re.search(r'"(\w+)"', body) or own
            if name:
                names[maker] = name.group(1)
    makers = [maker for path in tree.select(".cc", below="src/") for maker in add.findall(tree.text(path))]
    return [names.get(maker, maker) for maker in makers]


def registered_algorithms(tree):
    """The same of the list of algorithms."""
    names = {}
    for path in tree.select(".cc", below="src/algorithms/"):
        own = ALGORITHM_NAME.search(tree.text(path))
        names.update({name: own.group(1) for _, name in ALGORITHM.findall(tree.text(path)) if own})
    return [names.get(name, name) for name in listed_algorithms(tree)]


def pass_problems(tree):
    """The tables of passes are the registries, in their order; passes that pages switch on or off are there."""
    known = []
    for title, add in ORDERS.items():
        registered = registered_names(tree, add)
        known += registered
        if not registered or ORDER_PAGE not in tree.paths:
            continue
        section = (tree.text(ORDER_PAGE) + title).split(title, 1)[1].split("\n## ")[0]
        rows = [line.split("|")[2] for line in section.splitlines() if line.startswith("|") and line.count("|") >= 4]
        listed = [name for row in rows for name in BACKTICKED.findall(row)]
        for number, (want, got) in enumerate(zip(registered + ["the end"], listed + ["the end"]), 1):
            if want != got:
                yield f"{ORDER_PAGE}: pass {number} of '{title[3:]}' is {got}, of the registry {want}"
                break
    for page in pages(tree):
        for name in SWITCHED_PASS.findall(tree.text(page)):
            if name not in known:
                yield f"{page}: names the pass {name}, which does not exist"


def test_problems(tree):
    """Tests that pages name are there."""
    known = {".".join(test) for path in tree.select("_test.cc") for test in CXX_TEST.findall(tree.text(path))}
    named = "".join(tree.text(path) for path in tree.select(".py"))
    known |= set(re.findall(r"def (test_\w+)\(", named))
    named += "".join(tree.text(path) for path in tree.select(".cc", below="src/config/keys/"))
    for page in pages(tree):
        for token in BACKTICKED.findall(tree.text(page)):
            is_cxx = CXX_TEST_NAME.fullmatch(token) and not re.search(rf"\b{token.split('.')[0]}\b", named)
            is_python = re.fullmatch(r"test_[a-z_]+", token)
            if (is_cxx or is_python) and token not in known:
                yield f"{page}: names the test {token}, which does not exist"


def layer_problems(tree):
    """A README of src/ allows the layers that CMakeLists.txt allows."""
    if "CMakeLists.txt" not in tree.paths:
        return
    layers = check_layers.declared(tree.text("CMakeLists.txt"))
    above = set()
    for name, layer in layers.items():
        readme = f"src/{name}/README.md"
        if readme in tree.paths:
            said = MAY_INCLUDE.search(tree.text(readme))
            words = said.group(1) if said else ""
            if words.startswith("every layer below"):
                listed = above
            elif words == "no other layer":
                listed = set()
            else:
                listed = set(layer.deps) if "CMakeLists" in words else set(re.split(", | and ", words))
            if listed != set(layer.deps):
                yield f"{readme}: says 'May include {words}', CMakeLists.txt {' '.join(layer.deps) or 'no other layer'}"
        above.add(name)


def architecture_problems(tree):
    """The table of layers has a row for each layer of CMakeLists.txt, which names its rooms; those of targets are told as one."""
    if ARCHITECTURE_PAGE not in tree.paths or "CMakeLists.txt" not in tree.paths:
        return
    rows = {layer: row for row in tree.text(ARCHITECTURE_PAGE).splitlines() for layer in re.findall(r"`(\w+)/`", row.split("|")[1] if row.startswith("|") else "")}
    for name, layer in check_layers.declared(tree.text("CMakeLists.txt")).items():
        if name not in rows:
            yield f"{ARCHITECTURE_PAGE}: no row for the layer {name}"
            continue
        for room in layer.rooms:
            if room != "." and not room.startswith("targets/") and f"`{room}`" not in rows[name]:
                yield f"{ARCHITECTURE_PAGE}: the row of {name} does not name the room {room}"


def algorithm_problems(tree):
    """The table of algorithms is the registry, in its order."""
    registered = registered_algorithms(tree)
    if registered and ALGORITHM_PAGE in tree.paths:
        table = (tree.text(ALGORITHM_PAGE) + ALGORITHM_TABLE).split(ALGORITHM_TABLE, 1)[1].split("\n\n")[0]
        listed = re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)
        if listed != registered:
            yield f"{ALGORITHM_PAGE}: lists the algorithms {', '.join(listed)}; the registry has {', '.join(registered)}"


CHECKS = (name_problems, pass_problems, test_problems, layer_problems, architecture_problems, algorithm_problems)
