"""Runs the built binary and keeps books. Standard library only: a large parent process would show up as memory of its
children, so arrays are prepared and models scored in processes of their own (prepare_data.py, score.py)."""
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(os.environ.get("PREON_BIN") or ROOT / "build/bin/preon")
LIBRARY = BINARY.parent.parent / "lib/libpreon_ops.so"
WORK = ROOT / "build/bench-data"


class Failed(Exception):
    """A command of the tool under test that ended with an error; the text is the line that says so, or the last."""


def preon(*arguments):
    """One run of the binary: the object that it prints, with `wall`, `processor` (s) and `peak_mb` of the whole process added."""
    begin = time.perf_counter()
    process = subprocess.Popen([BINARY, *map(str, arguments), "--json", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process.stdout, process.stderr:
        answer, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        lines = errors.strip().splitlines() or [f"status {process.returncode}"]
        raise Failed(next((line for line in lines if line.startswith("preon: error")), lines[-1]))
    result = json.loads(answer)
    # Two sources for the peak: the kernel's account of the child, and the program's own.
    result["wall"] = time.perf_counter() - begin
    result["processor"] = usage.ru_utime + usage.ru_stime
    result["peak_mb"] = max(usage.ru_maxrss * 1024, result["peak_rss_bytes"]) / 1e6
    return result


def side_by_side(processes, *arguments):
    """Seconds until so many processes of the binary, all started with the same arguments, have ended."""
    begin = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        list(pool.map(lambda _: preon(*arguments), range(processes)))
    return time.perf_counter() - begin


def helper(script, *arguments):
    """Another script of this folder in a process of its own; returns the JSON object that it prints, if any."""
    done = subprocess.run([sys.executable, ROOT / "bench" / script, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def worst_sqnr_db(answer):
    """Of the outputs that a result compares."""
    return min(output["sqnr_db"] for output in answer["outputs"].values())


def add_places(parser):
    """Where a benchmark that needs data works, and where its figures go."""
    parser.add_argument("--work", default=WORK, help="where data are prepared and results are written")
    parser.add_argument("--out", help="JSON file; default below build/")


def spread(values):
    """What is reported of repeated measurements."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "runs": len(values)}


def machine():
    """Where and with what this was measured."""
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    git = lambda *words: subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    changed = "+changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "commit": git("rev-parse", "--short", "HEAD") + changed}


def table(header, rows):
    """Columns as wide as they need; the first to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for row in cells:
        print("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))))


def keep(name, results, out=None):
    """Writes the figures with the machine that they are of; returns where."""
    path = pathlib.Path(out) if out else ROOT / f"build/bench-{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"bench": name, **machine(), "results": results}, indent=1) + "\n")
    return path


def save(name, results, out=None):
    """As keep, and says so."""
    path = keep(name, results, out)
    print(f"\n{machine()['cpu']}, {machine()['cores']} cores, commit {machine()['commit']}; figures in {path}")
