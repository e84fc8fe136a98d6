"""convert_lstm_to_customlstm: not in this version."""
from ._command import absent

absent(globals(), "ExtendedLSTM is in libpreon_ops.so; the rewrite is missing")
