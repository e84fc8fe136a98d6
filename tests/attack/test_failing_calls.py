"""Every system call of a commit fails once, those that only read included: the old files are whole or the new ones are, and an
error names the file. The fast tests of tests/fault/test_outputs.py do the same with the calls that write."""
import errno

import attack_judge
import pytest
from failing_commits import MORE_VERBS, Commit, failing, library  # noqa: F401

NUMBERS = [errno.EIO, errno.ENOSPC, errno.EACCES]
#: Where one of these fails, nobody knows whether what lies there may be removed.
UNSURE = {"unlink", "remove", "opendir", "stat", "lstat", "fstat", "open", "flock", "read", "readlink", "fopen"}


def problems_of(commit, at, name, number):
    done = commit.run(at, number)
    run = attack_judge.Run(commit.arguments, done.returncode, done.stdout, done.stderr)
    yield from attack_judge.complaints(run)
    state, now = commit.check_whole()
    if state is commit.new and done.returncode != 0:
        yield f"status {done.returncode}, but the output is the new one"
    if state is commit.old and done.returncode == 0:
        yield "status 0, but the output is the old one"
    if done.returncode != 0 and not any(word in done.stderr for word in ("o/", "out.onnx", "report.json", str(commit.folder))):
        yield f"no file is named: {done.stderr[-300:]!r}"
    unsure = commit.old.keys() if name in UNSURE or done.returncode == 0 else frozenset()
    # What a calibration has learned stays for --resume; the same and temporary files where they can't be removed.
    strays = {key for key in now.keys() - state.keys() - unsure
              if not (name in UNSURE and "tmp" in key)
              and not ((done.returncode != 0 or name in UNSURE) and key.startswith("out.onnx.partial"))}
    if strays:
        yield f"left: {sorted(strays)}"
    commit.check_next_run(unsure)


@pytest.mark.slow
@pytest.mark.parametrize("verb", MORE_VERBS)
def test_every_call_of_a_commit_fails_once(preon, failing, verb, record_property):  # noqa: F811
    commit = Commit(preon, failing, verb, reads=True)
    assert {"open", "write", "fsync", "renameat2", "close", "stat"} <= set(commit.calls)
    found = []
    for at, name in enumerate(commit.calls, 1):
        number = NUMBERS[at % len(NUMBERS)]
        try:
            found += [f"call {at} ({name}, {errno.errorcode[number]}): {text}" for text in problems_of(commit, at, name, number)]
        except AssertionError as problem:
            found.append(f"call {at} ({name}, {errno.errorcode[number]}): the files: {str(problem)[:500]}")
            commit.restore()
    record_property("summary", f"commit of {verb}: each of {len(commit.calls)} calls failed once")
    assert not found, f"{' '.join(commit.arguments)}\n" + "\n".join(found)
