"""save_tensor_hist: not in this version."""
from ._command import absent

absent(globals(), "preon calibrate --save-histograms DIR")
