"""The repository keeps its own rules, and the scripts that check them notice when it does not."""
import importlib.util
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


layers, repo, docs = script("check_layers"), script("check_repo"), script("gen_docs")


def test_layers_are_kept():
    assert list(layers.problems(ROOT)) == []


def test_repository_is_in_order():
    assert list(repo.problems(ROOT)) == []


def test_generated_docs_are_current():
    for path, text in docs.pages(ROOT, os.environ["PREON_BIN"]).items():
        assert path.read_text() == text, f"{path.name} is not up to date; run ./dev docs"


DECLARED = {"base": [], "kernels": ["base"], "ir": ["base"], "runtime": ["base", "ir"], "api": ["base", "ir", "runtime"], "cli": ["api"]}


@pytest.mark.parametrize("layer, line, wanted", [
    ("kernels", '#include "base/status.h"', None),
    ("kernels", '#include "kernels/own.h"', None),
    ("kernels", '#include "ir/graph.h"', "kernels may include base, kernels"),
    ("kernels", "#include <vector>", None),
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
    text = "preon_layer(base LIBS a::b)\npreon_layer(calib DEPS base ir # why\n            runtime LIBS x::y)\npreon_layer(odd DEPS later)\n"
    read = layers.declared(text)
    assert read == {"base": [], "calib": ["base", "ir", "runtime"], "odd": ["later"]}
    assert any("odd depends on later" in problem for problem in layers.declaration_problems(read))


def make_repo(tmp_path, readme="one line", source="int x;\n"):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name, text in {"src/config/builtins.cc": "", "src/api/README.md": readme, "src/api/x.cc": source}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(repo.problems(tmp_path))


def test_repo_check_sees(tmp_path):
    assert make_repo(tmp_path / "clean") == []
    assert "names `gone.h`" in make_repo(tmp_path / "name", readme="`gone.h`")[0]
    assert "16 lines" in make_repo(tmp_path / "long", readme="line\n" * 16)[0]
    assert "351 lines" in make_repo(tmp_path / "big", source="int x;\n" * 351)[0]
    assert "links to no.md" in make_repo(tmp_path / "link", readme="[there](no.md)")[0]


def test_registry_check_sees(tmp_path):
    for name, text in {"src/config/builtins.cc": "Add(MakeAMethod());\n",
                       "src/ranges/range_methods.h": "std::unique_ptr<M> MakeAMethod();\nstd::unique_ptr<M> MakeBMethod();\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert list(repo.registry_problems(tmp_path)) == ["src/ranges/range_methods.h: MakeBMethod stands 0 times in its registry, wanted once"]


def test_errors_page_reads_every_form():
    page = docs.errors_page('PREON_ERROR(kA, 1001, kInvalidArgument, "a b",\n  "x: got \\"1\\"" ", wanted|2")\n'
                            'PREON_ERROR(kB, 5501, kIo, "c", "d")\nPREON_ERROR(kC, 7900, kIo, "e", "f")\n')
    assert '| E1001 | a b | 2 | `x: got "1", wanted\\|2` |' in page
    assert "| E5501 | c | 3 | `d` |" in page and "| E7900 | e | 130 | `f` |" in page


new = script("new")


@pytest.mark.parametrize("kind", sorted(new.KINDS))
def test_new_writes_what_the_checks_want(kind, tmp_path):
    for file, _, _ in new.KINDS[kind][1]:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((ROOT / file).read_text())
    written = new.create(tmp_path, kind, "brand_new")
    assert all(path.exists() for path in written) and len(written) >= 3
    assert not any("{" + word + "}" in path.read_text() for path in written for word in ("name", "Name", "dashed"))
    assert list(repo.registry_problems(tmp_path)) == []
    registry = next(path for path in written if path.name in ("builtins.cc", "number_formats.cc"))
    assert registry.read_text().count("MakeBrandNew") == 1
    for source in (path for path in written if path.suffix == ".cc" and path != registry):
        # The changed headers in front of the repository's own.
        command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-fsyntax-only",
                   "-I", tmp_path / "src", "-I", ROOT / "src", source]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    with pytest.raises(SystemExit, match="exists already"):
        new.create(tmp_path, kind, "brand_new")
