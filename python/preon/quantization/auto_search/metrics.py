"""How near a quantized model's outputs are to those of the float model, one run after the other.

The measures of AutoSearch and AutoSearchPro have the same names, but not the same formulas: those are AMD Quark's.
"""
import dataclasses
from typing import Any, Callable

from ...errors import ConfigError
from ..members import did_you_mean


@dataclasses.dataclass(frozen=True)
class Metric:
    """`value` is that of one run; the score is their mean, or `total` of the float outputs and the values."""

    name: str
    value: Callable[..., float]     #: of (outputs of float, outputs of quantized, label)
    small_values_win: bool
    large_score_wins: bool
    total: Any = None
    needs_labels: bool = False

    def score(self, floats, values):
        return float(self.total(floats, values)) if self.total else sum(values) / len(values)


def _flat(outputs):
    import numpy as np

    return np.concatenate([np.asarray(each, np.float64).ravel() for each in outputs])


def _of_difference(function):
    return lambda floats, quantized, label: float(function(_flat(floats) - _flat(quantized)))


def _of_both(function):
    return lambda floats, quantized, label: float(function(_flat(floats), _flat(quantized)))


def _cosine(floats, quantized):
    import numpy as np

    norms = np.linalg.norm(floats) * np.linalg.norm(quantized)
    return (floats @ quantized) / norms if norms else float(not floats.any() and not quantized.any())


def _half_cosine(floats, quantized):
    return 0.5 + 0.5 * _cosine(floats, quantized) if floats.any() and quantized.any() else 0.0


def _psnr(floats, quantized):
    import numpy as np

    return 20 * np.log10(max(floats.max(), 1e-10)) - 10 * np.log10(max(np.mean((floats - quantized) ** 2), 1e-10))


def _psnr_of_bytes(floats, quantized):
    import numpy as np

    error = np.mean((floats - quantized) ** 2)
    return 100.0 if error < 1e-10 else 20 * np.log10(255 / np.sqrt(error))


def _ssim_of(covariance):
    def ssim(floats, quantized):
        c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
        means = floats.mean(), quantized.mean()
        return ((2 * means[0] * means[1] + c1) * (2 * covariance(floats, quantized) + c2)
                / ((means[0] ** 2 + means[1] ** 2 + c1) * (floats.var() + quantized.var() + c2)))

    return _of_both(ssim)


def _sqnr_db(floats, values):
    import numpy as np

    power = sum(float((_flat(each) ** 2).sum()) for each in floats[:len(values)])
    return 10 * np.log10(max(power, 1e-300) / max(sum(values), 1e-300))


def _agreement(floats, quantized, label):
    return float((floats[0].argmax(-1) == quantized[0].argmax(-1)).mean())


def _top1(floats, quantized, label):
    return float((quantized[0].argmax(-1).ravel() == label.ravel()).mean())


def _low(name, value):
    return Metric(name, value, True, False)


def _high(name, value, **more):
    return Metric(name, value, False, True, **more)


#: Of preon: SQNR of all runs together in dB, share of equal largest outputs, share of right ones.
_OURS = [Metric("sqnr", _of_difference(lambda d: d @ d), True, True, _sqnr_db), _high("agreement", _agreement),
         _high("top1", _top1, needs_labels=True)]
OF_AUTO_SEARCH = {each.name: each for each in (
    _low("L2", _of_difference(lambda d: (d ** 2).mean())), _low("L1", _of_difference(lambda d: abs(d).mean())),
    _high("cos", _of_both(_half_cosine)), _high("psnr", _of_both(_psnr_of_bytes)),
    _high("ssim", _ssim_of(lambda f, q: f.std() * q.std())), *_OURS)}
OF_AUTO_SEARCH_PRO = {each.name: each for each in (
    _low("L2", _of_difference(lambda d: (d @ d) ** 0.5)), _low("L1", _of_difference(lambda d: abs(d).sum())),
    _high("cos", _of_both(_cosine)), _high("psnr", _of_both(_psnr)),
    _high("ssim", _ssim_of(lambda f, q: ((f - f.mean()) * (q - q.mean())).mean())), *_OURS)}


def metric_of(name, known):
    """The measure of that name, L2 for None. Raises ConfigError."""
    if name is None:
        return known["L2"]
    if name not in known:
        raise ConfigError(1002, f"search_metric: got {name!r}, wanted one of {', '.join(known)}" + did_you_mean(name, known),
                          exit_status=2)
    return known[name]
