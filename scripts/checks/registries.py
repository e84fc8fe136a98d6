"""What a header offers to a registry is in it, once."""
import re

#: A header that declares `std::unique_ptr<X> MakeFoo();` offers Foo to the registry of X.
MAKER = re.compile(r"^std::unique_ptr<(\w+)>\s+(Make\w+)\(\);(.*)$", re.MULTILINE)
#: A declaration with these words behind it is made elsewhere, for the reason that follows them.
ELSEWHERE = "not in the default list"


def makers(tree):
    """Header -> names of the functions that make an entry of a registry."""
    found = {}
    for path in tree.select(".h", below="src/"):
        names = [name for _, name, rest in MAKER.findall(tree.text(path)) if ELSEWHERE not in rest]
        if names:
            found[path] = names
    return found


#: All algorithms, a line each, and what makes one.
ALGORITHMS, ALGORITHM = "src/algorithms/algorithms.inc", re.compile(r"^std::unique_ptr<Algorithm> (Make(\w+)Algorithm)\(\) \{", re.MULTILINE)


def listed_algorithms(tree):
    """As the list calls them, in its order."""
    return re.findall(r"^PREON_ALGORITHM\((\w+)\)$", tree.text(ALGORITHMS), re.MULTILINE) if ALGORITHMS in tree.paths else []


def algorithm_problems(tree):
    listed = listed_algorithms(tree)
    for path in tree.select(".cc", below="src/algorithms/"):
        for maker, name in ALGORITHM.findall(tree.text(path)):
            if listed.count(name) != 1:
                yield f"{path}: {maker} stands {listed.count(name)} times in {ALGORITHMS}, wanted once"


def registry_problems(tree):
    lists = "".join(re.sub(r"//.*", "", tree.text(path)) for path in tree.sources() if path.endswith(".cc"))
    for header, names in makers(tree).items():
        for name in names:
            count = len(re.findall(rf"\.Add\({name}\(\)\)", lists))
            if count != 1:
                yield f"{header}: {name} stands {count} times in its registry, wanted once"


CHECKS = (registry_problems, algorithm_problems)
