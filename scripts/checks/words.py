"""Words: no name of a target outside its room, no document that readers lack, standard terms, plain English."""
import functools
import re

TEXT = (".h", ".cc", ".inc", ".md", ".py", ".pyi", ".sh", ".cmake", ".txt", ".toml", ".json", ".onnxtxt")
#: These files hold the words that they look for.
OWN = {"scripts/checks/words.py", "tests/tooling/test_scripts.py"}

#: In text, names (snake_case and CamelCase) and file names: pattern -> what to write instead. A space is also no space or '_'.
BANNED = {
    r"drown[a-z]*": "step larger than the values; sensitivity",
    r"un-?reached": "not reached",
    r"un-?fused": "not fused",
    r"plan statistics": "range selection",
    r"behind products": "output tensors",
    r"(?:read|seen) through": "activation-aware range, read activation",
    r"dual pairs?": "precision borders",
    r"layout (?:planner|bodies|options|rules|forms|marker|names|types)": "op_list; layout is memory order",
    r"spell out clips": "clamps to min max",
    r"mend(?:s|ed|ing)?": "fix",
    r"for want of": "needs X",
    r"what multiplies|those that multiply": "Conv, MatMul and Gemm nodes",
    r"tak(?:e|es|en|ing) back": "correct, undo",
    r"islands?": "region of float or integer nodes",
    r"witness(?:es)?": "probe",
    r"careful(?:ly)?|with care": "say what is checked",
    r"notices": "detects; below X %",
    r"brief lock": "spin lock",
    r"forgetting stream": "windowed input stream",
    r"re-?plan(?:s|ned|ning)?": "plan again; float fall-back",
    r"says nothing|say nothing": "is ignored",
}
#: Words that a file may have: names of tensors and nodes in written models stay what they are; a changelog names what went.
KEPT = {("CHANGELOG.md", "unreached"), ("src/quantize/qdq_passes/guard_float_regions.cc", "island"), ("tests/graph/guard_float_regions.onnxtxt", "island"),
        ("python/preon/launch/kubernetes.py", "Job"),  # Kubernetes calls them so
        *((f"python/preon/quantization/auto_search/{name}.py", "_jobs") for name in ("legacy_settings", "presets", "pro"))}  # a key of Quark
#: Of these words plain text has another meaning; in code: `Job`, `job.model`, `idle_keys`.
BANNED_IN_CODE = {r"\bJobs?\b|\bjobs?[_.]|_jobs?\b": "run inputs", r"idle(?! (?:core|machine|processor|thread))": "ignored"}
CODE = ("src/", "include/", "python/")
#: In pages, and in strings that a user can read.
BANNED_FOR_USERS = {r"somebody|nobody|whoever": "the one who is meant", r"idle(?! (?:core|machine|processor|thread))": "ignored",
                    r"methods tried|tried methods": "candidates"}

CITATION = re.compile(r"§|\b[Ss]pec (options|qdq|formats|graph-passes|quality|algorithms|npu)\b")
#: AMD Quark has a name; "reference" is a slow twin of a kernel.
TOOL = re.compile(r"\b(?:the reference(?:'s| tool| quantizer)|reference tools?)(?!\w)", re.IGNORECASE)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
TARGET_NAME = re.compile(r'name\(\) const override \{\s*return "([\w-]+)";')
#: (file, name): where a target's name may stand in src/ besides targets/, and why.
TARGETS_NAMED = {
    # the file that fills presets
    ("src/config/files/presets.cc", "*"),
    # keys and configurations of Quark that choose a target
    ("src/config/keys/matmul_nbits.cc", "matmul-nbits"),
    ("src/config/files/qconfig_target.cc", "quark"), ("src/config/files/qconfig_target.cc", "npu-cnn"),
    ("src/config/files/qconfig.cc", "npu-cnn"), ("src/config/keys/legacy.cc", "npu-cnn"),
    # the other tool's numbers, not its target
    ("src/formats/compat/compat.cc", "quark"),
}


def without_comments(text):
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda match: match.group(1) or "", text)


def lines_with(text, pattern):
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group()


def citation_problems(tree):
    for path in tree.select(*TEXT):
        if path not in OWN:
            for line, found in lines_with(tree.text(path), CITATION):
                yield f"{path}:{line}: cites '{found}', which readers of the repository do not have; say the rule or name a page of docs/design"


def spaced(words):
    return words.replace(" ", "[ _-]?")


#: Whether a file needs a closer look; most do not.
ANY_BANNED = re.compile("|".join(map(spaced, BANNED)), re.IGNORECASE)


@functools.cache
def pattern_of(words):
    """The words in text and in names: drowned_channels, FloatIslands, ABriefLock."""
    return re.compile(rf"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]))(?i:{spaced(words)})(?![a-z])")


def banned_problems(path, text):
    for words, instead in BANNED.items() if ANY_BANNED.search(text + path) else ():
        for line, found in lines_with(text, pattern_of(words)):
            if (path, found) not in KEPT:
                yield f"{path}:{line}: '{found}'; plain words: {instead}"
        for found in pattern_of(words).findall(path):
            yield f"{path}: '{found}' in the file's name; plain words: {instead}"


def word_problems(tree):
    for_users = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), instead) for words, instead in BANNED_FOR_USERS.items()]
    in_code = [(re.compile(words), instead) for words, instead in BANNED_IN_CODE.items()]
    for path in tree.paths:
        if path in OWN:
            continue
        text = tree.text(path) if path.endswith(TEXT) else ""
        yield from banned_problems(path, text)
        if path.startswith(CODE) and path.endswith((".h", ".cc", ".inc", ".py")):
            for pattern, instead in in_code:
                for line, found in lines_with(text, pattern):
                    if (path, found) not in KEPT:
                        yield f"{path}:{line}: '{found}'; plain words: {instead}"
        for line, found in lines_with(text, TOOL):
            yield f"{path}:{line}: '{found}'; the other tool is Quark (AMD Quark)"
        if path.startswith("src/") and path.endswith((".cc", ".h", ".inc")):
            for string in STRING.findall(without_comments(text)):
                for pattern, instead in for_users:
                    if pattern.search(string):
                        yield f'{path}: "{string}"; plain words: {instead}'
        elif path.endswith(".md") or path.startswith("python/"):
            for pattern, instead in for_users:
                for line, found in lines_with(text, pattern):
                    yield f"{path}:{line}: '{found}'; plain words: {instead}"


def target_problems(tree):
    """The name of a target is a literal in its own room alone."""
    room = "src/quantize/targets/"
    names = {name for path in tree.select(".cc", below=room) for name in TARGET_NAME.findall(tree.text(path))}
    for path in tree.sources():
        if not path.startswith(room) and (path, "*") not in TARGETS_NAMED:
            for string in STRING.findall(without_comments(tree.text(path))):
                if string in names and (path, string) not in TARGETS_NAMED:
                    yield f'{path}: names the target "{string}"; ask the Target instead'


CHECKS = (citation_problems, word_problems, target_problems)
