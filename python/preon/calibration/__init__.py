"""Sample readers, and names of calibration methods."""
from .calibrators import create_calibrator_float_scale, create_calibrator_power_of_two
from .data_readers import CachedDataReader, CalibrationDataReader, PathDataReader, RandomDataReader
from .methods import CalibrationMethod, ExtendedCalibrationMethod, Int16Method, LayerWiseMethod, PowerOfTwoMethod
