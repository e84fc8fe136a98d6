#!/usr/bin/env python3
"""Checks what no compiler sees; the checks are in scripts/checks, one module per kind.

  check_repo.py [CHECK...]      all, or those whose names hold one of the words, such as `words` or `registry_problems`
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checks import bundles, docs, files, functions, registries, words  # noqa: E402
from checks.tree import Tree  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKS = [(f"{module.__name__}.{check.__name__}", check) for module in (files, registries, docs, words, functions, bundles) for check in module.CHECKS]


def problems(tree, wanted=()):
    for name, check in CHECKS:
        if not wanted or any(word in name for word in wanted):
            yield from check(tree)


def main():
    tree = Tree(ROOT)
    found = list(problems(tree, sys.argv[1:]))
    print("\n".join(found) or f"repository: clean ({files.summary(tree)})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
