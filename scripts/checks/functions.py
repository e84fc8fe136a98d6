"""Signatures: at most six parameters, names that are there once.

Declarations are found by scanning braces, without a compiler. Not seen: lambdas, functions declared inside of functions,
and what a macro writes.
"""
import collections
import functools
import re

PARAMETERS = 6
#: The stem that several layers may have: the edge of a program or library. And folders of one file per thing, which has its name.
STEMS, NAMED_BY_THING = {"main"}, ("src/cli/", "src/config/keys/")  # verbs; groups of keys
#: Functions of several layers, overloads by type.
NAMES = {"ToString"}

WORD_BEFORE = re.compile(r"((?:\w+::)*~?[A-Za-z_]\w*|operator\s*\S+)\s*$")
Declaration = collections.namedtuple("Declaration", "path line scope name parameters body virtual initializers")


def blank(text):
    """`text` without comments, strings and preprocessor lines; every character keeps its line."""
    def spaces(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\'', spaces, text, flags=re.DOTALL)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", spaces, text, flags=re.MULTILINE)


def closing(text, start):
    """Place of the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += text[place] in "([{"
        depth -= text[place] in ")]}"
        if depth == 0:
            return place
    return len(text) - 1


def split_parameters(text):
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += char in "([{<"
        depth -= char in ")]}" or (char == ">" and text[place - 1] != "-")
        if char == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def declarations(path, text):
    """Functions declared or defined in namespaces and classes."""
    text = blank(text)
    scopes, start, place = [], 0, 0
    while place < len(text):
        char = text[place]
        if char == "(":
            place = closing(text, place)
        elif char == "}":
            if scopes:
                scopes.pop()
            start = place + 1
        elif char in ";{":
            head, body = text[start:place], ""
            if char == "{":
                kind = re.search(r"\b(namespace|class|struct|union)\b\s*(?:alignas\([^)]*\)\s*)?((?:[\w:]|\s)*?)\s*(?:final\s*)?(?:(?<!:):[^:].*)?$",
                                 head.split("(")[0] if "template" not in head else head, re.DOTALL)
                if kind and not re.search(r"\)\s*(const|override|noexcept|\s)*$", head):
                    scopes.append(kind.group(2).strip())
                    start = place = place + 1
                    continue
                end = closing(text, place)
                body, place = text[place:end + 1], end
            found = function_of(head)
            if found:
                name, parameters = found
                line = text.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
                virtual = re.search(r"\bvirtual\b|\)[\w\s]*\b(?:override|final)\b", head) is not None
                yield Declaration(path, line, "::".join(scopes), name, parameters, body, virtual, initializers_of(head) if body else "")
            start = place + 1
        place += 1


def function_of(head):
    """Name and parameters of a declaration's head; none for variables, macros, initializers."""
    head = re.sub(r"\b(?:public|private|protected)\s*:(?!:)", "", head).strip()
    if head.startswith((",", ":", "using", "typedef", "enum", "friend class", "static_assert")):
        return None
    depth = 0
    for place, char in enumerate(head):
        depth += char == "<"
        depth -= char == ">" and head[place - 1] != "-"
        if char == "=" and depth == 0 and "operator" not in head[:place]:
            return None
        if char == "(" and depth <= 0:
            word = WORD_BEFORE.search(head[:place])
            if not word or re.fullmatch(r"[A-Z][A-Z0-9_]+", word.group(1)) or word.group(1) in ("alignas", "decltype", "requires", "noexcept"):
                return None
            return word.group(1), split_parameters(head[place + 1:closing(head, place)])
    return None


def initializers_of(head):
    """What a constructor's head says of members and bases, behind the colon."""
    start = re.search(r"\)\s*(?:noexcept\s*)?:(?!:)", head)
    return head[start.end():] if start else ""


@functools.cache
def all_declarations(tree):
    return [found for path in tree.sources() for found in declarations(path, tree.text(path))]


def is_free(tree, found):
    """Whether a declaration is a function of a namespace."""
    classes = set(re.findall(r"\b(?:class|struct)\s+(\w+)", tree.text(found.path)))
    return not classes & set(found.scope.split("::")) and "::" not in found.name and not found.name.startswith(("operator", "~"))


def parameter_problems(tree):
    for found in all_declarations(tree):
        if len(found.parameters) > PARAMETERS:
            yield f"{found.path}:{found.line}: {found.name} has {len(found.parameters)} parameters, wanted at most {PARAMETERS}"


def name_problems(tree):
    """File stems, and functions in headers that are no members, belong to one layer."""
    stems, functions = collections.defaultdict(set), collections.defaultdict(set)
    for path in tree.sources():
        if not path.startswith(NAMED_BY_THING):
            stems[path.rsplit("/", 1)[1].rsplit(".", 1)[0]].add(path.split("/")[1])
        if path.endswith(".h"):
            for found in declarations(path, tree.text(path)):
                if is_free(tree, found):
                    functions[(found.scope, found.name)].add(path.split("/")[1])
    for stem, layers in sorted(stems.items()):
        if len(layers) > 1 and stem not in STEMS:
            yield f"src: the file name {stem} is in several layers: {', '.join(sorted(layers))}"
    for (scope, name), layers in sorted(functions.items()):
        if len(layers) > 1 and name not in NAMES:
            yield f"src: {scope}::{name} is declared by several layers: {', '.join(sorted(layers))}"


CHECKS = (parameter_problems, name_problems)
