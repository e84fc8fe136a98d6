"""Bundles: structs that gather what several functions need. Who takes one reads at least half of it, or takes what it reads.

A bundle is any struct of a header with at least FIELDS fields, but for those that are one thing (THINGS). Looked at is every
function with a body, file-local ones, members and constructors included, that takes one by reference or by value. As read counts:

- `name.field`, also of a base, and under another name (`auto& other = name;`); a method counts as the fields that its body names;
- where the whole is handed on to functions or constructors of this tree: what they read, all together. These are looked at
  themselves, too;
- where a constructor keeps the whole in a member: what all methods of the class read of it and what they hand it to.

Not seen: functions whose signature an interface fixes (virtual ones); functions that hand the whole to an interface, a template,
a lambda or a result; those that fill it (they assign a field, or take a pointer); how much is read of a field that is a struct itself.
"""
import collections
import functools
import re

from checks.functions import all_declarations, blank, closing, split_parameters

FIELDS = 6

#: Structs that are one thing with its properties, of which a function may ask one: why -> names.
THINGS = {
    "part of a graph, or what was found in one": ("Node", "Model", "LinearOp", "CodedTensor"),
    "what was decided about a graph, one of its nodes or tensors": ("QuantPlan", "NodeDecision", "ActivationPlan", "WeightPlan", "BiasPlan"),
    "what the user says of one tensor": ("TensorOverride", "ConvertOverride"),
    "number format": ("BlockSpec", "BlockGrid"),
    "data": ("Batch", "CalibrationData", "SketchParts", "ValueFacts"),
    "contents of a file or model": ("Instrumentation",),
    "result that is reported part by part": (
        "Analysis", "TensorAnalysis", "SampleAnalysis", "AnalyzeResult", "RangesResult", "Comparison", "Placement", "LayerChart"),
    "row of a table": ("KeySpec", "OptionHelp", "VerbHelp"),
    "surroundings of a run, which every call that logs or can be cancelled has": ("RunContext",),
}

#: Functions that have to do with the options as a whole: NAME -> why.
WHOLE = {
    "CheckFitsTarget": "looks for options of any part without effect on the target",
    "CheckStatisticsAlone": "looks for options of any part without effect on a .calib file",
    "CheckOutputs": "compares every file that is written with every file that any part of the options names",
    "FormatOf": "a question of Target, whose interface hands on all that was asked of the plan",
    "OptionsJson": "names what differs from its default: whoever adds an option that changes the result adds it here",
    "SetMetadata": "as OptionsJson",
    "HashOfRangeOptions": "a fingerprint: whoever adds an option that ranges depend on adds it here",
}

Struct = collections.namedtuple("Struct", "fields methods lineage")


def without(text, opening, ending):
    """`text` without what stands between two kinds of brackets, the brackets included."""
    kept, depth = [], 0
    for char in text:
        depth += char == opening
        if depth == 0:
            kept.append(char)
        depth -= char == ending and depth > 0
    return "".join(kept)


def fields_inside(inside):
    """Names of the data members between a struct's braces."""
    names = set()
    inside = re.sub(r"\)\s*(?:const|noexcept|override|\s)*(?::[^;{]*)?\{", "();{", inside)  # bodies of methods
    for statement in without(without(inside, "{", "}"), "<", ">").split(";"):
        if "(" in statement or re.match(r"\s*(?:using|enum|static|struct|class|union|friend|typedef)\b", statement):
            continue
        declared = [part.split("=")[0].strip() for part in split_parameters(statement)]
        if declared and len(re.findall(r"\w+", declared[0])) > 1:
            names |= {re.findall(r"\w+", re.sub(r"\[.*", "", part))[-1] for part in declared}
    return names


def owner_of(found):
    """Class of a member; the innermost namespace of a function that is none."""
    return found.name.split("::")[-2] if "::" in found.name else found.scope.split("::")[-1]


@functools.cache
def structs_of(tree):
    """Structs that headers define, by name: fields and, by method, the fields that its body names; those of bases included."""
    bases, fields, bodies = {}, {}, collections.defaultdict(lambda: collections.defaultdict(str))
    for path in tree.sources():
        text = blank(tree.text(path)) if path.endswith(".h") else ""
        for match in re.finditer(r"\bstruct\s+(\w+)\s*(?:final\s*)?(?::(?!:)([^;{(]*))?\{", text):
            bases[match.group(1)] = re.findall(r"\w+", match.group(2) or "")
            fields[match.group(1)] = fields_inside(text[match.end():closing(text, match.end() - 1)])
    for found in all_declarations(tree):
        bodies[owner_of(found)][found.name.split("::")[-1]] += found.body

    def lineage(name):
        return {name}.union(*(lineage(base) for base in bases[name] if base in fields))

    structs = {}
    for name in fields:
        above = lineage(name)
        own = set().union(*(fields[each] for each in above))
        named = {method: set(re.findall(r"(?<![\w.])\w+", body)) for each in above for method, body in bodies[each].items()}
        for _ in named:  # methods call each other
            for words in named.values():
                words |= set().union(*(named[method] for method in words & set(named)))
        structs[name] = Struct(own, {method: words & own for method, words in named.items()}, above)
    return structs


def taken(found, structs):
    """Struct and name of each parameter that is a struct, by reference or by value; not of those that the function fills."""
    for parameter in found.parameters:
        text = re.split(r"=(?!=)", parameter.replace("[[maybe_unused]]", ""))[0].strip()
        match = re.fullmatch(r"(const\s+)?(?:\w+::)*(\w+)\s*(&?)\s*(\w*)", text)
        if match and match.group(2) in structs:
            changeable = match.group(3) and not match.group(1)
            if not (changeable and (not match.group(4) or re.search(FILLED.format(name=match.group(4)), found.body))):
                yield match.group(2), match.group(4)


#: A field is assigned, or gets an element.
FILLED = r"(?<![\w.>:])(?:\+\+|--)?{name}(?:\.\*?\w+|\[[^\]]*\]|\))+\s*(?:[-+|&*/]?=(?!=)|\+\+|--|\.\s*(?:push_back|emplace\w*|insert\w*|clear|reset|erase)\s*\()"

Callee = collections.namedtuple("Callee", "name type")  # `type` where a variable `name` is initialized


def callee(body, start, end):
    """What gets that which stands at `start` to `end`, alone, as an argument; none where it is no argument."""
    if not re.match(r"\s*[,)}]", body[end:]) or not re.search(r"[,({]\s*$", body[:start]):
        return None
    depth = 0
    for place in range(start - 1, -1, -1):
        if body[place] in ")]}":
            depth += 1
        elif body[place] in "([{":
            if depth == 0:
                made = re.search(r"\bmake_(?:unique|shared)<(?:\w+::)*(\w+)>$", body[:place])
                word = made or re.search(r"(?:(\w+)(?:<[^;(){}]*>)?[\s&*]+)?\b(\w+)$", body[:place].rstrip())
                if not word or body[place] == "[":
                    return None
                return Callee(word.group(1), None) if made else Callee(word.group(2), word.group(1))
            depth -= 1
    return None


class Reads:
    """What functions and classes read of the structs that they take."""

    def __init__(self, tree):
        self.structs = structs_of(tree)
        self.classes = collections.defaultdict(str)  # (file where only it knows the class, name) -> what its braces hold
        for path in tree.sources():
            text = blank(tree.text(path))
            for match in re.finditer(r"\b(?:class|struct)\s+(?:\w+::)*(\w+)\s*(?:final\s*)?(?::(?!:)[^;{(]*)?\{", text):
                key = ("" if path.endswith(".h") else path, match.group(1))
                self.classes[key] += text[match.end():closing(text, match.end() - 1)]
        declared = all_declarations(tree)
        self.fixed = {(owner_of(found), found.name.split("::")[-1]) for found in declared if found.virtual}
        self.functions = [found for found in declared if found.body and not self.is_left_out(found)]
        self.by_name, self.methods = collections.defaultdict(list), collections.defaultdict(list)
        for found in self.functions:
            self.by_name[found.name.split("::")[-1]].append(found)
        for found in declared:
            self.methods[self.class_of(found)].append(found)

    def is_left_out(self, found):
        name = found.name.split("::")[-1]
        return (owner_of(found), name) in self.fixed or name.startswith(("~", "operator"))

    def class_named(self, name, path):
        return (path, name) if (path, name) in self.classes else ("", name)

    def class_of(self, found):
        return self.class_named(owner_of(found), found.path)

    def read(self, found, struct, name, seen=()):
        """Fields of `struct` that a function reads of its parameter or member `name`; none where it hands the whole to what is not seen."""
        read, known, text = set(), self.structs[struct], found.initializers + found.body
        if not name:
            return read
        for alias in {name, *re.findall(rf"&\s*(\w+)\s*=\s*{name}\s*;", text)}:
            text_of_alias = re.sub(rf"&\s*\w+\s*=\s*{name}\s*;", ";", text)
            for match in re.finditer(rf"(?<![\w.>:]){alias}\b(?:\s*\.\s*(\w+))?", text_of_alias):
                if match.group(1):
                    read |= {match.group(1)} & known.fields or known.methods.get(match.group(1), set())
                    continue
                below = self.read_below(callee(text_of_alias, *match.span()), struct, (*seen, (found, name)))
                if below is None:
                    return None
                read |= below
        return read

    def read_below(self, given, struct, seen):
        """What is read of a struct by the function or constructor that it is given to, or through the member that keeps it."""
        if given is None:
            return None
        found = seen[-1][0]
        kept = re.search(rf"(\w+)\s*[&>]*\s+{given.name}\s*(?:;|=|\{{)", self.classes.get(self.class_of(found), "")) if found.initializers else None
        if kept and kept.group(1) in self.structs[struct].lineage:
            return self.read_in_class(self.class_of(found), struct, given.name, seen)
        name = kept.group(1) if kept else given.name
        if given.type and self.class_named(given.type, found.path) in self.classes:
            name = given.type
        local = [each for each in self.by_name.get(name, ()) if each.path == found.path]
        reads = []
        for each in local or self.by_name.get(name, ()):
            for base, parameter in taken(each, self.structs):
                if base in self.structs[struct].lineage:
                    reads.append(set() if (each, parameter) in seen else self.read(each, base, parameter, seen))
        return None if not reads or None in reads else set().union(*reads)

    def read_in_class(self, key, struct, member, seen):
        reads = [set() if (found, member) in seen else self.read(found, struct, member, seen)
                 for found in self.methods[key] if found.body and re.search(rf"\b{member}\b", found.body)]
        return None if None in reads else set().union(*reads)


def bundle_problems(tree):
    """Functions that read less than half of a bundle that they take, and exceptions that are none."""
    reads, excepted = Reads(tree), set()
    things = {name for names in THINGS.values() for name in names}
    for found in reads.functions:
        for struct, name in taken(found, reads.structs):
            fields = reads.structs[struct].fields
            read = reads.read(found, struct, name) if len(fields) >= FIELDS else None
            if read is None or 2 * len(read) >= len(fields):
                continue
            exception = struct if struct in things else found.name
            if exception in things or exception in WHOLE:
                excepted.add(exception)
            else:
                yield f"{found.path}:{found.line}: {found.name} takes {struct} and reads {len(read)} of its {len(fields)} fields; give it those"
    if "scripts/checks/bundles.py" in tree.paths:
        yield from (f"scripts/checks/bundles.py: {name} needs no exception" for name in sorted((things | set(WHOLE)) - excepted))


CHECKS = (bundle_problems,)
