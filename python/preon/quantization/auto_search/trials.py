"""One configuration after the other: quantized, judged, noted; the best one so far is always on the disk."""
import hashlib
import json
import logging
import os
import pathlib
import shutil
import time

from ...errors import PreonError
from .configs import labels
from .files import replaced, write_json

BEST_MODEL, BEST_CONFIG = "best_model.onnx", "best_config.json"
_OF_RANDOM_SAMPLES = "measured on random data"  #: of models made from statistics alone: here other samples judge them
_log = logging.getLogger("preon.auto_search")


class Trials:
    """What has been tried, and the best of it.

    maker       parameters -> QConfig
    statistics  Statistics
    judge       OutputJudge or FunctionJudge
    large_wins  is a large score good?
    folder      where the best model and its configuration go, as soon as there are any
    """

    def __init__(self, maker, statistics, judge, large_wins, folder):
        self.maker, self.statistics, self.judge, self.large_wins = maker, statistics, judge, large_wins
        self.folder, self.records, self._verdicts = pathlib.Path(folder), [], {}
        self.best, self.best_params, self.best_values = None, None, ()

    def run(self, params, output):
        """Quantizes to `output` and judges. Returns the record: index, params, state, score or error, warnings, seconds."""
        begin = time.monotonic()
        record, values = {"params": labels(params), "model": os.fspath(output)}, ()
        try:
            config = self.maker(params)
            made = self.statistics.quantize(config, output)
            record["warnings"] = [text for text in made.facts.get("warnings", ()) if _OF_RANDOM_SAMPLES not in text]
            verdict = self._judged(output)
        except (PreonError, RuntimeError, TypeError) as error:
            record.update(state="failed", error=str(error))
        else:
            record.update(state="complete" if verdict.is_complete else "given up", score=verdict.score)
            values = verdict.values
            if verdict.is_complete and self.is_better(verdict.score):
                with replaced(self.folder / BEST_MODEL) as part:
                    shutil.copyfile(output, part)  # a file of weights stays where it is: both models name it
                write_json(self.folder / BEST_CONFIG, config.to_dict())
        record["seconds"] = round(time.monotonic() - begin, 3)
        self.note(record, params, values)
        return record

    def note(self, record, params, values):
        """Adds the record of a trial that has run, here or in an earlier process."""
        record["index"] = len(self.records)
        self.records.append(record)
        if record["state"] == "complete" and self.is_better(record["score"]):
            self.best, self.best_params, self.best_values = record, params, values
        _log.info("trial %d: %s: %s: %s", record["index"], record["state"], record.get("score", record.get("error")),
                  json.dumps(record["params"]))

    def is_better(self, score):
        return self.best is None or (score > self.best["score"] if self.large_wins else score < self.best["score"])

    def finish(self):
        """The best model again, now with the samples: trials leave out what needs them (biases, fixed-point positions).

        Kept where it is better, with its score as `score_with_samples`; else the model of the trial stays.
        """
        config = self.maker(self.best_params)
        if config.use_external_data_format:
            return  # the file of its weights has the name of the trial's model
        again = self.folder / "best_model_with_samples.onnx"
        try:
            self.statistics.quantize(config, again, with_samples=True)
            score = self.judge.judge(os.fspath(again)).score
            if self.is_better(score):
                os.replace(again, self.folder / BEST_MODEL)
                self.best["score_with_samples"] = score
        except PreonError as error:
            _log.info("the best model with samples: %s", error)
        finally:
            again.unlink(missing_ok=True)

    def _judged(self, output):
        """Parameters without effect give the same file, which needs no second look."""
        content = hashlib.sha256(pathlib.Path(output).read_bytes()).digest()
        if content not in self._verdicts:
            self._verdicts[content] = self.judge.judge(os.fspath(output), self.best_values)
        return self._verdicts[content]
