"""save_weights_hist: not in this version."""
from ._command import absent

absent(globals(), "histograms of weights are missing; preon calibrate --save-histograms DIR draws those of activations")
