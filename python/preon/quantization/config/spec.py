"""How a tensor is quantized: types, scales, methods; and the roles of a layer's tensors."""
import enum

from . import data_type as types


class ScaleType(enum.Enum):
    Float32 = 0
    PowerOf2 = 1
    Int16 = 2


class CalibMethod(enum.Enum):
    MinMax = 0
    MinMSE = 1
    Percentile = 2
    Entropy = 3
    LayerwisePercentile = 4
    Distribution = 5


class QuantGranularity(enum.Enum):
    Tensor = 0
    Channel = 1
    Group = 2


class QTensorConfig:
    """Everything about one tensor's quantization. Compares by value."""

    def __init__(self, symmetric, scale_type, calibration_method, quant_granularity, data_type):
        self.symmetric, self.scale_type, self.calibration_method = symmetric, scale_type, calibration_method
        self.quant_granularity, self.data_type = quant_granularity, data_type

    def set_symmetric(self, symmetric):
        self.symmetric = symmetric

    def set_scale_type(self, scale_type):
        self.scale_type = scale_type

    def set_calibration_method(self, calibration_method):
        self.calibration_method = calibration_method

    def set_quant_granularity(self, quant_granularity):
        self.quant_granularity = quant_granularity

    def set_data_type(self, data_type):
        self.data_type = data_type

    def to_dict(self):
        return {"symmetric": self.symmetric, "scale_type": self.scale_type.name,
                "calibration_method": self.calibration_method.name, "quant_granularity": self.quant_granularity.name,
                "data_type": self.data_type.__name__}

    @staticmethod
    def from_dict(d):
        return QTensorConfig(d["symmetric"], ScaleType[d["scale_type"]], CalibMethod[d["calibration_method"]],
                             QuantGranularity[d["quant_granularity"]], getattr(types, d["data_type"]))

    def __eq__(self, other):
        return isinstance(other, QTensorConfig) and vars(self) == vars(other)

    def __hash__(self):
        return hash(tuple(vars(self).values()))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in self.to_dict().items())})"


def _spec(base, data_type, symmetric, scale_type, calibration_method, name):
    def __init__(self, symmetric=symmetric, scale_type=scale_type, calibration_method=calibration_method,
                 quant_granularity=QuantGranularity.Tensor, data_type=data_type):
        QTensorConfig.__init__(self, symmetric, scale_type, calibration_method, quant_granularity, data_type)

    return type(name, (base,), {"__module__": __name__, "__init__": __init__,
                                "__doc__": f"{data_type.__name__} with the reference's defaults."})


def _plain(data_type, symmetric=True, method=CalibMethod.MinMax):
    return _spec(QTensorConfig, data_type, symmetric, ScaleType.Float32, method, data_type.__name__ + "Spec")


Int4Spec, UInt4Spec = _plain(types.Int4, True, CalibMethod.Percentile), _plain(types.UInt4, False, CalibMethod.Percentile)
Int8Spec, UInt8Spec = _plain(types.Int8, True, CalibMethod.Percentile), _plain(types.UInt8, False, CalibMethod.Percentile)
Int16Spec, UInt16Spec = _plain(types.Int16, True, CalibMethod.Percentile), _plain(types.UInt16, False, CalibMethod.Percentile)
Int32Spec, UInt32Spec = _plain(types.Int32, True, CalibMethod.Percentile), _plain(types.UInt32, False, CalibMethod.Percentile)
Float16Spec, BFloat16Spec, BFP16Spec = _plain(types.Float16), _plain(types.BFloat16), _plain(types.BFP16)
MX4Spec, MX6Spec, MX9Spec, MXInt8Spec = _plain(types.MX4), _plain(types.MX6), _plain(types.MX9), _plain(types.MXInt8)
MXFP4E2M1Spec, MXFP6E3M2Spec, MXFP6E2M3Spec = _plain(types.MXFP4E2M1), _plain(types.MXFP6E3M2), _plain(types.MXFP6E2M3)
MXFP8E5M2Spec, MXFP8E4M3Spec = _plain(types.MXFP8E5M2), _plain(types.MXFP8E4M3)
XInt8Spec = _spec(Int8Spec, types.Int8, True, ScaleType.PowerOf2, CalibMethod.MinMSE, "XInt8Spec")


class QLayerConfig:
    """What the tensors of a layer get, by their role; `activation` is the old name of `input_tensors`."""

    def __init__(self, input_tensors=None, activation=None, weight=None, bias=None, output_tensors=None):
        self.input_tensors, self.activation, self.weight = input_tensors, activation, weight
        self.bias, self.output_tensors = bias, output_tensors

    def to_dict(self):
        return {role: spec.to_dict() for role, spec in vars(self).items() if spec is not None}

    @staticmethod
    def from_dict(d):
        return QLayerConfig(**{role: QTensorConfig.from_dict(spec) for role, spec in d.items()})

    def __eq__(self, other):
        return isinstance(other, QLayerConfig) and vars(self) == vars(other)

    def __hash__(self):
        return hash(tuple(vars(self).values()))

    def __repr__(self):
        return f"QLayerConfig({', '.join(f'{role}={spec}' for role, spec in vars(self).items() if spec is not None)})"
