"""Bundles: structs that gather what several functions need. Who takes one reads at least half of it, or takes what it reads.

A bundle is any struct of a header with at least FIELDS fields, but for those that are one thing (THINGS). Looked at is every
function with a body, file-local ones and members included, that takes one by const reference or by value. As read counts:

- `name.field`, also of a base; a method counts as the fields that its body names;
- where the whole is handed on to functions of this tree: what they read, all together. These are looked at themselves, too.

Not seen: functions whose signature an interface fixes (virtual ones); constructors, since what they keep is read all over the
class; functions that hand the whole to a constructor, an interface, a template, a lambda or a result; those that fill it
(references that are not const, pointers); how much is read of a field that is a struct itself.
"""
import collections
import functools
import re

from checks.functions import all_declarations, blank, closing, split_parameters

FIELDS = 6

#: Structs that are one thing with its properties, of which a function may ask one: why -> names.
THINGS = {
    "part of a graph, or what was found in one": ("Node", "Model", "LinearOp", "CodedTensor"),
    "what was decided about a graph or one of its tensors": ("QuantPlan", "ActivationPlan", "WeightPlan", "BiasPlan"),
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
    "RulesOf": "as FormatOf",
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
    """Struct and name of each parameter that is a struct, by const reference or by value."""
    for parameter in found.parameters:
        text = re.split(r"=(?!=)", parameter.replace("[[maybe_unused]]", ""))[0].strip()
        match = re.fullmatch(r"(const\s+)?(?:\w+::)*(\w+)\s*(&?)\s*(\w*)", text)
        if match and match.group(2) in structs and (match.group(1) or not match.group(3)):
            yield match.group(2), match.group(4)


def callee(body, start, end):
    """The function that gets what stands at `start` to `end`, alone, as an argument; none where it is no argument."""
    if not re.match(r"\s*[,)]", body[end:]) or not re.search(r"[,(]\s*$", body[:start]):
        return None
    depth = 0
    for place in range(start - 1, -1, -1):
        if body[place] in ")]}":
            depth += 1
        elif body[place] in "([{":
            if depth == 0:
                word = re.search(r"(\w+)\s*$", body[:place]) if body[place] == "(" else None
                return word and word.group(1)
            depth -= 1
    return None


class Reads:
    """What functions read of the structs that they take."""

    def __init__(self, tree):
        self.structs = structs_of(tree)
        declared = all_declarations(tree)
        self.fixed = {(owner_of(found), found.name.split("::")[-1]) for found in declared if found.virtual}
        self.functions = [found for found in declared if found.body and not self.is_left_out(found)]
        self.by_name = collections.defaultdict(list)
        for found in self.functions:
            self.by_name[found.name.split("::")[-1]].append(found)

    def is_left_out(self, found):
        owner, name = owner_of(found), found.name.split("::")[-1]
        return (owner, name) in self.fixed or name == owner or name.startswith(("~", "operator"))

    def read(self, found, struct, name, seen=()):
        """Fields of `struct` that a function reads of its parameter `name`; none where it hands the whole to what is not seen."""
        read, known = set(), self.structs[struct]
        for match in re.finditer(rf"(?<![\w.>:]){name}\b(?:\s*\.\s*(\w+))?", found.body) if name else ():
            if match.group(1):
                read |= {match.group(1)} & known.fields or known.methods.get(match.group(1), set())
                continue
            below = self.read_below(callee(found.body, *match.span()), struct, (*seen, found))
            if below is None:
                return None
            read |= below
        return read

    def read_below(self, function, struct, seen):
        reads = [set() if found in seen else self.read(found, base, name, seen)
                 for found in self.by_name.get(function, ()) for base, name in taken(found, self.structs)
                 if base in self.structs[struct].lineage]
        return None if not reads or None in reads else set().union(*reads)


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
