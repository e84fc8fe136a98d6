"""Whether a run kept to the contract, whatever it was given: its status, its error line, its time, its files."""
import dataclasses
import json
import re
import resource
import subprocess
import time

LIMIT_S = 30
#: A crafted model may ask for any memory; the machine has to survive that.
MEMORY_BYTES = 6 << 30
ERROR = re.compile(r"preon: error \[E(\d{4})\] \S")
#: What a terminal would obey or what is no text: a model's names must not get there as they are.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")
PLEASE_REPORT = 9001
CRASH = 6003


def wanted_status(number):
    """docs/errors.md."""
    alone = {5601: 5, 7900: 130}
    if number in alone:
        return alone[number]
    if number < 4000 or number in (5003, 5005):
        return 2
    return 3 if number // 100 == 55 else 1


@dataclasses.dataclass
class Run:
    arguments: list
    status: int | None  # none: it had to be killed
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0
    strays: list = dataclasses.field(default_factory=list)  # streams that are no UTF-8

    @property
    def number(self):
        """Of the error, or 0."""
        found = next(filter(None, map(ERROR.match, self.stderr.splitlines())), None)
        return int(found[1]) if found else 0


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(binary, arguments, folder, limit_s=LIMIT_S, **options):
    command = [str(binary), *map(str, arguments)]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit_s,
                              preexec_fn=limit_memory, **options)
    except subprocess.TimeoutExpired:
        return Run(arguments, None, seconds=limit_s)
    texts = (text.decode("utf-8", "backslashreplace") for text in (done.stdout, done.stderr))
    strays = [stream for stream, text in (("stdout", done.stdout), ("stderr", done.stderr)) if not is_utf8(text)]
    return Run(arguments, done.returncode, *texts, time.monotonic() - begin, strays)


def is_utf8(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def complaints(done):
    """Every way in which the run breaks the contract, in words; none is good."""
    if done.status is None:
        return [f"no end after {LIMIT_S} s"]
    if done.status < 0 or done.status > 128 and done.status != 130:
        return [f"ended by a signal: status {done.status}"]
    found = []
    lines = [line for line in done.stderr.splitlines() if line.startswith("preon: error")]
    if done.status in (0, 4):
        if lines:
            found.append(f"status {done.status} with an error")
    elif len(lines) != 1 or not ERROR.match(lines[0]):
        found.append(f"status {done.status} with {len(lines)} error lines: {done.stderr[-300:]!r}")
    elif done.number == PLEASE_REPORT or "please report" in done.stderr:
        found.append(f"a bug by its own word: {lines[0][:300]}")
    elif done.status != wanted_status(done.number):
        found.append(f"status {done.status} for E{done.number}")
    found += [f"{stream} is no UTF-8: {(done.stdout if stream == 'stdout' else done.stderr)[-300:]!r}" for stream in done.strays]
    for stream, text in ("stdout", done.stdout), ("stderr", done.stderr):
        control = CONTROL.search(text)
        if control:
            found.append(f"{stream} has control character {control[0]!r}: {text[max(0, control.start() - 80):control.end() + 40]!r}")
    if any(len(line) > 5000 for line in lines):
        found.append(f"an error line of {max(map(len, lines))} characters")
    if "--json" in done.arguments:
        try:
            answer = json.loads(done.stdout)
            if (done.status == 0) == ("error" in answer):
                found.append("the JSON object and the status differ")
        except ValueError as problem:
            found.append(f"stdout is not one JSON object: {problem}")
    return found
