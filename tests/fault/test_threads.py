"""More threads than cores: they would spin for each other's turn, and the whole machine with them."""
import os
import subprocess
import threading
import time

import numpy as np
import pytest

OWN_THREADS = 4  # of the program beside those that compute: reading ahead, progress, saving


def most_threads(process, seen):
    while process.poll() is None:
        try:
            seen.append(len(os.listdir(f"/proc/{process.pid}/task")))
        except FileNotFoundError:
            return
        time.sleep(0.002)


@pytest.mark.thorough
@pytest.mark.parametrize("verb", ["quantize", "calibrate", "run"])
def test_never_more_than_the_cores_that_it_may_use(preon, model, verb):
    np.savez(preon.folder / "calib.npz", input=np.zeros((256, 3, 8, 8), np.float32) + 1)
    output = {"quantize": ["-o", "out.onnx", "--always-write"], "calibrate": ["-o", "out.calib"], "run": []}[verb]
    cores = len(os.sched_getaffinity(0))
    for mine in {1, cores}:
        with subprocess.Popen([preon.binary, verb, model, "--data", "calib.npz", "--threads", "1000", *output], cwd=preon.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda mine=mine: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:mine])) as process:
            seen = []
            watch = threading.Thread(target=most_threads, args=(process, seen))
            watch.start()
            said = process.stderr.read()
        watch.join()
        assert process.returncode == 0, said
        assert f"--threads 1000: using {mine}, the number of cores that this process may use" in said
        assert max(seen) <= 2 * mine + OWN_THREADS, (mine, max(seen))  # quantize: a float and a quantized session
