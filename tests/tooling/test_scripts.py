"""The repository keeps its own rules, and each check finds a violation that is planted for it."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path.insert(0, str(ROOT / "scripts"))
layers, repo, docs = script("check_layers"), script("check_repo"), script("gen_docs")


def test_layers_are_kept():
    assert list(layers.problems(ROOT)) == []


@pytest.mark.thorough
def test_repository_is_in_order():
    assert list(repo.problems(repo.Tree(ROOT))) == []


def test_generated_docs_are_current():
    for path, text in docs.pages(ROOT, os.environ["PREON_BIN"]).items():
        assert path.read_text() == text, f"{path.name} is not up to date; run ./dev docs"


DECLARED = {name: layers.Layer(deps, ["."]) for name, deps in {
    "base": [], "kernels": ["base"], "ir": ["base"], "runtime": ["base", "ir"], "api": ["base", "ir", "runtime"], "cli": ["api"]}.items()}


@pytest.mark.parametrize("layer, line, wanted", [
    ("kernels", '#include "base/status.h"', None),
    ("kernels", '#include "kernels/own.h"', None),
    ("kernels", '#include "ir/graph.h"', "kernels may include base, kernels"),
    ("kernels", "#include <vector>", None),
    ("kernels", '#include "../ir/graph.h"', "from src/ on"),
    ("kernels", "#include <ir/graph.h>", "from src/ on"),
    ("base", '#include "preon/preon.h"', "public header"),
    ("api", '#include "preon/preon.h"', None),
    ("runtime", "#include <onnx/checker.h>", "only ir may"),
    ("ir", "#include <onnx/checker.h>", None),
    ("ir", "#include <onnxruntime_c_api.h>", "only runtime may"),
    ("ir", 'std::cout << "x";', "outside cli/"),
    ("ir", 'std::fprintf(stderr, "x");', "outside cli/"),
    ("ir", '// no std::cout here', None),
    ("ir", 'std::snprintf(buffer, 3, "x");', None),
    ("cli", 'std::cout << "x";', None),
])
def test_layer_check_sees(layer, line, wanted):
    found = list(layers.file_problems(f"src/{layer}/x.cc", line + "\n", layer, DECLARED))
    assert (len(found) == 0) if wanted is None else (len(found) == 1 and wanted in found[0])


def test_layer_lines_are_read():
    text = "preon_layer(base LIBS a::b)\npreon_layer(calib ROOMS x . DEPS base ir # why\n            runtime LIBS x::y)\npreon_layer(odd DEPS later)\n"
    read = layers.declared(text)
    assert read == {"base": ([], ["."]), "calib": (["base", "ir", "runtime"], ["x", "."]), "odd": (["later"], ["."])}
    assert any("odd depends on later" in problem for problem in layers.declaration_problems(read))


@pytest.mark.parametrize("path, include, wanted", [
    ("src/q/plan/x.h", "q/plan/own.h", None),
    ("src/q/write/x.h", "q/plan/x.h", None),
    ("src/q/plan/x.h", "q/write/x.h", "room plan of q may include plan"),
    ("src/q/plan/x_test.cc", "q/write/x.h", None),
    ("src/q/x.h", "q/targets/deep/x.h", None),
    ("src/q/targets/deep/x.h", "q/x.h", "may include plan write targets/deep"),
    ("src/q/new/x.h", "q/plan/x.h", "new is no room of layer q"),
])
def test_room_check_sees(path, include, wanted):
    layer = layers.Layer([], ["plan", "write", "targets/deep", "."])
    found = list(layers.room_problems(path, f'#include "{include}"\n', "q", layer))
    assert (len(found) == 0) if wanted is None else (len(found) == 1 and wanted in found[0])


def test_cycle_check_sees():
    texts = {"q/a.h": "", "q/a.cc": '#include "q/a.h"\n#include "q/b.h"\n', "q/b.h": "", "q/b.cc": '#include "q/c.h"\n', "q/c.h": ""}
    assert list(layers.cycle_problems(texts)) == []
    found = list(layers.cycle_problems(texts | {"q/c.h": '#include "q/a.h"\n'}))
    assert found == ["src: these files include each other: q/a q/b q/c"]
    assert list(layers.cycle_problems({"q/a.h": '#include "q/a.h"\n'})) == ["src/q/a.h: includes itself"]


CLEAN = {"src/config/builtins.cc": "", "src/config/README.md": "one line", "src/api/README.md": "one line", "src/api/x.cc": "int x;\n"}
MAKERS = "std::unique_ptr<Pass> MakeAPass();\nstd::unique_ptr<Pass> MakeBPass();  ///< not in the default list: first of all\n"
PASS = 'A() : NodePass({.name = "fold_a"}) {}\nstd::unique_ptr<Pass> MakeAPass() { return nullptr; }\n'
PASSES = {"src/passes/README.md": "", "src/passes/passes.h": MAKERS, "src/passes/a.cc": PASS, "src/config/builtins.cc": "builtins.passes.Add(MakeAPass());\n"}
ALGORITHMS = {"src/algorithms/README.md": "", "src/algorithms/a.cc": 'std::string_view name() const override { return "a-b"; }\nstd::unique_ptr<Algorithm> MakeAAlgorithm() { return nullptr; }\n',
              "src/algorithms/algorithms.inc": "PREON_ALGORITHM(A)\n", "docs/design/algorithms.md": "| algorithm | asks for |\n|---|---|\n| `a-b` | x |\n\n| `c` |\n"}
LAYERED = {"CMakeLists.txt": "preon_layer(base)\npreon_layer(ir DEPS base)\npreon_layer(api DEPS base ir)\n", "src/base/README.md": "May include no other layer, only std.\n",
           "src/ir/README.md": "May include the layers that its line in `CMakeLists.txt` names.\n", "src/api/README.md": "May include base and ir. x\n"}
TARGET = {"src/quantize/README.md": "", "src/quantize/targets/a.cc": 'std::string_view name() const override { return "npu-x"; }\n'}
BASE = "struct Given {\n  std::function<int(int)> a;\n  int b = 0, c = 1;\n  int Sum() const { return b + c; }\n};\n"
BUNDLE = BASE + "struct RunInputs final : Given {\n  std::map<int, int> d = {{1, 2}};\n  std::string e, f;\n};\n"


def reads(code):
    return {"src/api/x.h": BUNDLE, "src/api/x.cc": code}


KEEPS = "class X {{\n  explicit X(const RunInputs& in) : in_(in) {{}}\n  int Ask() const {{ {} }}\n  const RunInputs& in_;\n}};\n"
#: Functions that read at least half of the six fields, or of which the check can't know.
READS_ENOUGH = [
    "int Read(const RunInputs& in) { return in.a(1) + in.b + in.d.size(); }\n",
    "int Read(const RunInputs& in) { return in.Sum() + in.d.size(); }\n",
    "namespace {\nint Half(const RunInputs& in) { return in.a(1) + in.b + in.c; }\n}\nint Read(const RunInputs& in) { return Half(in); }\n",
    "int Read(const RunInputs& in) { return Stage(in).Run(); }\n",
    "int Read(const RunInputs& in) { return Other(in.e, in); }\n",
    "int Read(RunInputs& in) { return in.b = 1; }\n",
    "class X : public Y {\n  int Ask(const RunInputs& in) const override { return in.b; }\n};\n",
    KEEPS.format("return in_.b + in_.c + More(); }\n  int More() const { return in_.d.size();"),
    "int Read(RunInputs& in) { return in.e.push_back(1); }\n",
    "int Set(RunInputs&) { return 1; }\n",
    "int Read(const Given& in) { return in.b; }\n",
]
#: What one function of each reads too little of.
READS_LITTLE = [
    "int Read(const RunInputs& in) { return in.Sum(); }\n",
    "int Read(RunInputs in) { return in.b + in.c; }\n",
    "namespace a::b {\nnamespace {\nint Local(const RunInputs& in) { return in.b + in.e.size(); }\n}\n}\n",
    "class X {\n  int Ask(const a::RunInputs& in) const { return in.b + in.c; }\n};\n",
    "int X::Ask(const RunInputs& in) const { return in.b + in.d.size(); }\n",
    "int Read(const RunInputs& in) { return Below(1, in.b, in); }\nint Below(int, int, const Given& in) { return in.c; }\n",
    "int Read(RunInputs& in) { return in.b + in.c; }\n",
    "int Read(const RunInputs& in) {\n  const auto& other = in;\n  return other.b + other.c;\n}\n",
    KEEPS.format("return in_.b + in_.c;"),
    "class X {\n  X(RunInputs in);\n  int Ask();\n  RunInputs in_;\n};\nX::X(RunInputs in) : in_(in) {}\nint X::Ask() { return in_.b + in_.c; }\n",
    "class X {\n  explicit X(const RunInputs& in) : b_(in.b), c_(in.c) {}\n};\n",
]
#: A second offender, which hands the whole to one.
FORWARD = ["X(in).Ask()", "X{in}.Ask()", "std::make_unique<X>(in)->Ask()"]


def found_in(tmp_path, files, check=""):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(repo.problems(repo.Tree(tmp_path), [check]))


@pytest.mark.parametrize("files", [{}, PASSES, ALGORITHMS, LAYERED, LAYERED | {"src/api/README.md": "May include every layer below cli/."}, TARGET, *map(reads, READS_ENOUGH)])
def test_repo_check_passes_what_is_clean(tmp_path, files):
    assert found_in(tmp_path, CLEAN | files) == []


@pytest.mark.parametrize("check, files, wanted", [
    ("readme", {"src/api/README.md": "line\n" * 16}, "16 lines"),
    ("readme", {"src/new/x.cc": ""}, "src/new: no README.md"),
    ("size", {"src/api/y.cc": "", "src/api/x.cc": "int x;\n" * 351}, "351 lines"),
    ("folder", {f"src/api/x{k}.h": "" for k in range(50)}, "src/api: 51 sources"),
    ("column", {"src/api/x.cc": "// " + "x" * 118 + "\n"}, "src/api/x.cc:1: 121 columns"),
    ("format", {"src/api/x.cc": "int  x;\n", ".clang-format": "BasedOnStyle: Google\n"}, "not as clang-format writes it"),
    ("shared_file", {"src/api/x_test.cc": 'const auto path = testing::TempDir() + "/x.json";\n'}, "src/api/x_test.cc:1: a file that tests share"),
    ("link", {"src/api/README.md": "[there](no.md)"}, "links to no.md"),
    ("docs.name", {"src/api/README.md": "`gone.h`"}, "names `gone.h`"),
    ("docs.name", {"docs/a.md": "`api/gone`"}, "names `api/gone`"),
    ("docs.name", {"src/api/README.md": "`y.cc`", "src/cli/README.md": "", "src/cli/y.cc": ""}, "names `y.cc`"),
    ("docs.test", {"docs/a.md": "`Some.Test`", "src/api/x_test.cc": "TEST(Some, OtherTest) {}\n"}, "names the test Some.Test"),
    ("docs.test", {"docs/a.md": "`test_gone`"}, "names the test test_gone"),
    ("pass", PASSES | {"docs/design/passes.md": "## The order\n| # | pass | why |\n|---|---|---|\n| 1 | `fold_b` | x |\n"}, "pass 1 of 'The order' is fold_b, of the registry fold_a"),
    ("pass", PASSES | {"docs/a.md": "`--disable-pass fold_gone`"}, "the pass fold_gone"),
    ("algorithm_problems", ALGORITHMS | {"docs/design/algorithms.md": "| algorithm | asks for |\n|---|---|\n| `a-b` | x |\n| `gone` | x |\n\n| `c` |\n"}, "lists the algorithms a-b, gone; the registry has a-b"),
    ("layer_problems", LAYERED | {"src/api/README.md": "May include base.\n"}, "src/api/README.md: says 'May include base', CMakeLists.txt base ir"),
    ("layer_problems", LAYERED | {"src/api/README.md": "All.\n"}, "src/api/README.md: says 'May include '"),
    ("registry", PASSES | {"src/config/builtins.cc": ""}, "MakeAPass stands 0 times"),
    ("registry", PASSES | {"src/config/builtins.cc": "// builtins.passes.Add(MakeAPass());\n"}, "MakeAPass stands 0 times"),
    ("architecture", LAYERED | {"docs/design/architecture.md": "| `base/` |\n| `ir/` |\n"}, "no row for the layer api"),
    ("architecture", {"CMakeLists.txt": "preon_layer(api ROOMS judge . DEPS base)\n", "docs/design/architecture.md": "| `api/` | verbs | |\n"},
     "the row of api does not name the room judge"),
    ("registry", PASSES | {"src/config/builtins.cc": "passes.Add(MakeAPass());\npasses.Add(MakeAPass());\n"}, "MakeAPass stands 2 times"),
    ("algorithm", {"src/algorithms/algorithms.inc": "", "src/algorithms/x.cc": "std::unique_ptr<Algorithm> MakeXAlgorithm() { return {}; }\n"},
     "MakeXAlgorithm stands 0 times"),
    ("target", TARGET | {"src/api/x.cc": 'if (name == "npu-x") Run();\n'}, 'names the target "npu-x"'),
    ("citation", {"docs/a.md": "as in spec options"}, "cites 'spec options'"),
    ("citation", {"src/api/x.cc": "// \u00a75.2\n"}, "cites"),
    ("word", {"src/api/x.cc": "// for want of data\n"}, "'for want of'"),
    ("word", {"docs/a.md": "an island"}, "'island'"),
    ("word", {"src/api/x.cc": "int drowned_channels = 0;\nint recommended, amended;\n"}, "'drowned'"),
    ("word", {"src/api/x.cc": "void GuardFloatIslands();\n"}, "'Islands'"),
    ("word", {"src/api/x.cc": "int GetABriefLock();\n"}, "'BriefLock'"),
    ("word", {"src/api/x.cc": "struct Forgetting_stream;\n"}, "'Forgetting_stream'"),
    ("word", {"docs/a.md": "layout planner"}, "'layout planner'"),
    ("word", {"python/a.py": "def prepare_with_care(): ...\n"}, "'with_care'"),
    ("word", {"src/api/seen_through.h": ""}, "'seen_through' in the file's name"),
    ("word", {"tests/dual_pairs.bin": ""}, "'dual_pairs' in the file's name"),
    ("word", {"src/api/x.cc": "int Run(const Job& one); // a batch job is none\n"}, "'Job'"),
    ("word", {"src/api/x.cc": "int idle_keys;\n"}, "'idle'"),
    ("word", {"docs/a.md": "the reference's names"}, "Quark"),
    ("word", {"src/api/x.cc": 'Warn("nobody reads it");\n'}, "plain words"),
    ("parameter", {"src/api/x.h": "int Many(int a, std::map<int, int> b, int c, int d, int e, int f,\n  int g);\n"}, "src/api/x.h:1: Many has 7 parameters"),
    ("parameter", {"src/api/x.h": "namespace a {\nclass Big {\n public:\n  Big(int a, int b, int c, int d, int e, int f, int g) : a_(a) {}\n};\n}\n"}, "Big has 7"),
    ("functions.name", {"src/api/x.h": "", "src/config/x.h": ""}, "the file name x is in several layers: api, config"),
    ("functions.name", {"src/api/a.h": "namespace p {\nint Do(int x);\n}\n", "src/config/b.h": "namespace p {\nint Do();\n}\n"}, "p::Do is declared by several layers"),
    *(("bundle", reads(code), "takes RunInputs and reads 2 of its 6 fields") for code in READS_LITTLE),
])
def test_repo_check_sees(tmp_path, check, files, wanted):
    found = found_in(tmp_path, CLEAN | files, check)
    assert len(found) == 1 and wanted in found[0], found


@pytest.mark.parametrize("call", FORWARD)
def test_bundle_check_follows_constructors(tmp_path, call):
    code = KEEPS.format("return in_.b + in_.c;") + f"int Read(const RunInputs& in) {{ return {call}; }}\n"
    found = found_in(tmp_path, CLEAN | reads(code + "int Local(const RunInputs& in) {\n  X x(in);\n  return x.Ask();\n}\n"), "bundle")
    assert [line.split(" takes ")[0].split(": ")[1] for line in found] == ["X", "Read", "Local"], found


def test_errors_page_reads_every_form():
    page = docs.errors_page('PREON_ERROR(kA, 1001, 2, kInvalidArgument, "a b",\n  "x: got \\"1\\"" ", wanted|2")\n'
                            'PREON_ERROR(kB, 5501, 3, kIo, "c", "d")\nPREON_ERROR(kC, 7900, 130, kIo, "e", "f")\n')
    assert '| E1001 | a b | 2 | `x: got "1", wanted\\|2` |' in page
    assert "| E5501 | c | 3 | `d` |" in page and "| E7900 | e | 130 | `f` |" in page


new = script("new")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", sorted(new.KINDS))
def test_new_writes_what_the_checks_want(kind, tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for file in ["CMakeLists.txt", ".clang-format", *(file for file, _, _ in new.KINDS[kind][1])]:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((ROOT / file).read_text())
    written = new.create(tmp_path, kind, "brand_new")
    assert all(path.exists() for path in written) and len(written) >= 3
    assert not any("@" in path.read_text() for path in written if path.name.startswith("brand_new"))
    assert found_in(tmp_path, {}, "registry") == [] and found_in(tmp_path, {}, "column") == [] and found_in(tmp_path, {}, "format") == []
    rooms = layers.declared((tmp_path / "CMakeLists.txt").read_text())
    for path in (path for path in written if path.suffix == ".cc"):
        layer = path.relative_to(tmp_path).parts[1]
        assert list(layers.room_problems(str(path.relative_to(tmp_path)), path.read_text(), layer, rooms[layer])) == []
    registry = next(path for path in written if path.name in ("builtins.cc", "number_formats.cc", "qdq_passes.cc", "algorithms.inc"))
    assert len(re.findall(r"MakeBrandNew|PREON_ALGORITHM\(BrandNew\)", registry.read_text())) == 1
    if kind == "pass":  # of the rounds, as its template
        assert re.search("MakeBrandNewPass.*\n.*MakeRemoveDeadPass", registry.read_text())
    for source in (path for path in written if path.suffix == ".cc" and path != registry):
        # The changed headers in front of the repository's own.
        command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-fsyntax-only",
                   "-I", tmp_path / "src", "-I", ROOT / "src", source]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    with pytest.raises(SystemExit, match="exists already"):
        new.create(tmp_path, kind, "brand_new")
