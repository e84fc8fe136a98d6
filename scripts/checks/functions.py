"""Signatures: at most six parameters, names that are there once, no struct of which a function reads little.

Declarations are found by scanning braces, without a compiler. Not seen: lambdas, functions declared inside of functions,
what a macro writes, and fields that are read through another name of the struct (`const auto& part = options.part`
counts `part` alone).
"""
import collections
import re

PARAMETERS = 6
#: The stem that several layers may have: the edge of a program or library. And folders of one file per thing, which has its name.
STEMS, NAMED_BY_THING = {"main"}, ("src/cli/", "src/config/keys/")  # verbs; groups of keys
#: Functions of several layers, overloads by type.
NAMES = {"ToString"}
#: Structs that gather what several stages need. Who takes one reads at least half of its fields, or takes the fields.
BUNDLES = {"Options", "PrepareOptions", "CalibrationOptions", "RangeOptions", "TypeOptions", "WriteOptions", "InstrumentOptions",
           "AnalysisOptions", "PlanOptions", "OpListRules", "PreparedModel", "RunInputs"}

#: Folders whose functions look for contradictions between any of the options, and questions of Target, whose interface hands
#: all of the plan's options on.
BUNDLES_READ_IN_PART, QUESTIONS_OF_TARGETS = ("src/config/resolve/",), {"QuarkFormatFor", "OpListNeedsStatistics"}

WORD_BEFORE = re.compile(r"((?:\w+::)*~?[A-Za-z_]\w*|operator\s*\S+)\s*$")
Declaration = collections.namedtuple("Declaration", "path line scope name parameters body")


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
                kind = re.search(r"\b(namespace|class|struct|union)\b\s*(?:alignas\([^)]*\)\s*)?((?:[\w:]|\s)*?)\s*(?:final\s*)?(?::[^:].*)?$",
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
                yield Declaration(path, line, "::".join(scopes), name, parameters, body)
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


def all_declarations(tree):
    for path in tree.sources():
        yield from declarations(path, tree.text(path))


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


def fields_of(tree, struct):
    """Data members of a struct that a header defines; none where there is no such struct."""
    for path in tree.select(".h", below="src/"):
        text = blank(tree.text(path))
        match = re.search(rf"\bstruct\s+{struct}\b[^;{{(]*{{", text)
        if match:
            inside = text[match.end():closing(text, match.end() - 1)]
            while re.search(r"\{[^{}]*\}", inside):
                inside = re.sub(r"\{[^{}]*\}", ";" if re.search(r"\)\s*(const)?\s*\{", inside) else " ", inside, count=1)
            members = (re.split(r"=(?!=)", statement)[0].strip() for statement in inside.split(";"))
            return {re.sub(r"\[.*", "", member).split()[-1] for member in members
                    if member and "(" not in member and not member.startswith(("using", "enum", "static", "struct", "friend")) and len(member.split()) > 1}
    return set()


def bundle_problems(tree):
    """Free functions of headers that read less than half of a bundle that they take."""
    offered = {(found.name, len(found.parameters)) for found in all_declarations(tree) if found.path.endswith(".h") and is_free(tree, found)}
    fields = {struct: fields_of(tree, struct) for struct in BUNDLES}
    for found in all_declarations(tree):
        if not found.body or not is_free(tree, found) or (found.name, len(found.parameters)) not in offered:
            continue
        if str(found.path).startswith(BUNDLES_READ_IN_PART) or found.name in QUESTIONS_OF_TARGETS:
            continue
        for parameter in found.parameters:
            match = re.fullmatch(r"const (\w+)& (\w+)", parameter)
            if not match or not fields.get(match.group(1)):
                continue
            struct, name = match.groups()
            if re.search(rf"(?<![\w.>]){name}\b(?!\s*\.)", found.body):
                continue  # handed on as a whole
            read = set(re.findall(rf"(?<![\w.>]){name}\s*\.\s*(\w+)", found.body)) & fields[struct]
            if 2 * len(read) < len(fields[struct]):
                yield f"{found.path}:{found.line}: {found.name} takes {struct} and reads {len(read)} of its {len(fields[struct])} fields; give it those"


CHECKS = (parameter_problems, name_problems, bundle_problems)
