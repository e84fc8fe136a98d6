"""How a tensor is quantized: types, scales, methods; and the roles of a layer's tensors.

Objects compare by value and hash by identity: as keys of `specific_layer_config` two equal ones are two entries.
"""
import dataclasses
import enum
from typing import Optional

from ...errors import ConfigError
from .data_type import (BFP16, MX4, MX6, MX9, MXFP4E2M1, MXFP6E2M3, MXFP6E3M2, MXFP8E4M3, MXFP8E5M2, BaseDataType, BFloat16,
                        Float16, Int4, Int8, Int16, Int32, MXInt8, UInt4, UInt8, UInt16, UInt32, data_type_of, parse_data_type)  # noqa: F401
from ..members import did_you_mean, parse_enum


class ScaleType(enum.Enum):
    """What scales may be: any float, 2^k, M/2^N."""

    Float32 = 0
    PowerOf2 = 1
    Int16 = 2


class CalibMethod(enum.Enum):
    """How a range follows from the values seen."""

    MinMax = 0
    MinMSE = 1
    Percentile = 2
    Entropy = 3
    LayerwisePercentile = 4
    Distribution = 5


class QuantGranularity(enum.Enum):
    """What shares a scale: a tensor, an output channel of a weight, a block of values."""

    Tensor = 0
    Channel = 1
    Group = 2


ENUM_CLASS_MAP = {each.__name__: each for each in (ScaleType, CalibMethod, QuantGranularity)}


def check_keys(given, known, where):
    """Raises ConfigError, which begins with `where`, for a key that is not known."""
    if not isinstance(given, dict):
        raise ConfigError(1002, f"{where}: got {type(given).__name__}, wanted a dict", exit_status=2)
    for key in given:
        if key not in known:
            raise ConfigError(1001, f"{where}: unknown key '{key}', wanted one of {', '.join(known)}" + did_you_mean(key, known),
                              exit_status=2)


@dataclasses.dataclass(eq=False, repr=False)
class QTensorConfig:
    """Everything about one tensor's quantization. `data_type` is a class (`Int8`), not an instance.

    Values are checked by to_dict() and when a model is quantized, not here.
    """

    symmetric: bool
    scale_type: ScaleType
    calibration_method: CalibMethod
    quant_granularity: QuantGranularity
    data_type: type[BaseDataType]
    block_size: Optional[int] = dataclasses.field(default=None, init=False)   #: with Group; None: the key WeightBlockSize

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

    def set_block_size(self, block_size):
        self.block_size = block_size

    def to_dict(self, where="QTensorConfig"):
        """As plain values. Raises ConfigError, which begins with `where`, for a value of the wrong kind."""
        if not isinstance(self.symmetric, bool):
            raise ConfigError(1002, f"{where}.symmetric: got {self.symmetric!r}, wanted True or False", exit_status=2)
        if self.block_size is not None and (not isinstance(self.block_size, int) or isinstance(self.block_size, bool)):
            raise ConfigError(1002, f"{where}.block_size: got {self.block_size!r}, wanted an integer or None", exit_status=2)
        return {"symmetric": self.symmetric,
                **{name: str(parse_enum(kind, getattr(self, name), f"{where}.{name}")) for name, kind in _ENUM_FIELDS.items()},
                "data_type": data_type_of(self.data_type, f"{where}.data_type").__name__,
                **({} if self.block_size is None else {"block_size": self.block_size})}

    @staticmethod
    def from_dict(d, where="QTensorConfig"):
        """The inverse of to_dict(); members of enumerations with or without their class. Raises ConfigError."""
        names = ["symmetric", *_ENUM_FIELDS, "data_type"]
        check_keys(d, [*names, "block_size"], where)
        missing = [name for name in names if name not in d]
        if missing:
            raise ConfigError(1003, f"{where}: no {' and no '.join(missing)}; wanted all of {', '.join(names)}", exit_status=2)
        config = QTensorConfig(d["symmetric"],
                               **{name: parse_enum(kind, d[name], f"{where}.{name}") for name, kind in _ENUM_FIELDS.items()},
                               data_type=data_type_of(d["data_type"], f"{where}.data_type"))
        config.block_size = d.get("block_size")
        return config

    def __eq__(self, other):
        return isinstance(other, QTensorConfig) and self._values() == other._values()

    __hash__ = object.__hash__

    def _values(self):
        return [getattr(self, field.name) for field in dataclasses.fields(QTensorConfig)]

    def __repr__(self):
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(QTensorConfig)}
        if self.block_size is None:
            del values["block_size"]
        texts = (f"{name}={getattr(value, '__name__', value)}" for name, value in values.items())
        return f"{type(self).__name__}({', '.join(texts)})"


_ENUM_FIELDS = {"scale_type": ScaleType, "calibration_method": CalibMethod, "quant_granularity": QuantGranularity}


@dataclasses.dataclass(eq=False, repr=False)
class _Calibrated(QTensorConfig):
    symmetric: bool = True
    scale_type: ScaleType = ScaleType.Float32
    calibration_method: CalibMethod = CalibMethod.Percentile
    quant_granularity: QuantGranularity = QuantGranularity.Tensor
    data_type: type[BaseDataType] = Int8


@dataclasses.dataclass(eq=False, repr=False)
class _MinMax(_Calibrated):
    calibration_method: CalibMethod = CalibMethod.MinMax


class Int8Spec(_Calibrated):
    pass


@dataclasses.dataclass(eq=False, repr=False)
class XInt8Spec(Int8Spec):
    scale_type: ScaleType = ScaleType.PowerOf2
    calibration_method: CalibMethod = CalibMethod.MinMSE


@dataclasses.dataclass(eq=False, repr=False)
class Int16Spec(_Calibrated):
    data_type: type[BaseDataType] = Int16


@dataclasses.dataclass(eq=False, repr=False)
class Int32Spec(_Calibrated):
    data_type: type[BaseDataType] = Int32


@dataclasses.dataclass(eq=False, repr=False)
class UInt8Spec(_Calibrated):
    symmetric: bool = False
    data_type: type[BaseDataType] = UInt8


@dataclasses.dataclass(eq=False, repr=False)
class UInt16Spec(_Calibrated):
    symmetric: bool = False
    data_type: type[BaseDataType] = UInt16


@dataclasses.dataclass(eq=False, repr=False)
class UInt32Spec(_Calibrated):
    symmetric: bool = False
    data_type: type[BaseDataType] = UInt32


@dataclasses.dataclass(eq=False, repr=False)
class Int4Spec(_MinMax):
    data_type: type[BaseDataType] = Int4


@dataclasses.dataclass(eq=False, repr=False)
class UInt4Spec(_MinMax):
    symmetric: bool = False
    data_type: type[BaseDataType] = UInt4


@dataclasses.dataclass(eq=False, repr=False)
class Float16Spec(_MinMax):
    data_type: type[BaseDataType] = Float16


@dataclasses.dataclass(eq=False, repr=False)
class BFloat16Spec(_MinMax):
    data_type: type[BaseDataType] = BFloat16


@dataclasses.dataclass(eq=False, repr=False)
class BFP16Spec(_MinMax):
    data_type: type[BaseDataType] = BFP16


@dataclasses.dataclass(eq=False, repr=False)
class MX4Spec(_MinMax):
    data_type: type[BaseDataType] = MX4


@dataclasses.dataclass(eq=False, repr=False)
class MX6Spec(_MinMax):
    data_type: type[BaseDataType] = MX6


@dataclasses.dataclass(eq=False, repr=False)
class MX9Spec(_MinMax):
    data_type: type[BaseDataType] = MX9


@dataclasses.dataclass(eq=False, repr=False)
class MXInt8Spec(_MinMax):
    data_type: type[BaseDataType] = MXInt8


@dataclasses.dataclass(eq=False, repr=False)
class MXFP4E2M1Spec(_MinMax):
    data_type: type[BaseDataType] = MXFP4E2M1


@dataclasses.dataclass(eq=False, repr=False)
class MXFP6E3M2Spec(_MinMax):
    data_type: type[BaseDataType] = MXFP6E3M2


@dataclasses.dataclass(eq=False, repr=False)
class MXFP6E2M3Spec(_MinMax):
    data_type: type[BaseDataType] = MXFP6E2M3


@dataclasses.dataclass(eq=False, repr=False)
class MXFP8E5M2Spec(_MinMax):
    data_type: type[BaseDataType] = MXFP8E5M2


@dataclasses.dataclass(eq=False, repr=False)
class MXFP8E4M3Spec(_MinMax):
    data_type: type[BaseDataType] = MXFP8E4M3


@dataclasses.dataclass(eq=False, repr=False)
class QLayerConfig:
    """What the tensors of a layer get, by their role; `activation` is the old name of `input_tensors`."""

    input_tensors: Optional[QTensorConfig] = None
    activation: Optional[QTensorConfig] = None
    weight: Optional[QTensorConfig] = None
    bias: Optional[QTensorConfig] = None
    output_tensors: Optional[QTensorConfig] = None

    def to_dict(self, where="QLayerConfig"):
        """The roles that are set. Raises ConfigError, which begins with `where`, for what is no QTensorConfig."""
        roles = {role: getattr(self, role) for role in _ROLES if getattr(self, role) is not None}
        for role, spec in roles.items():
            if not isinstance(spec, QTensorConfig):
                hint = f"{spec.__name__}()" if isinstance(spec, type) and issubclass(spec, QTensorConfig) else ""
                raise ConfigError(1002, f"{where}.{role}: got {spec!r}, wanted a QTensorConfig", hint and f"write {hint}", 2)
        return {role: spec.to_dict(f"{where}.{role}") for role, spec in roles.items()}

    @staticmethod
    def from_dict(d, where="QLayerConfig"):
        check_keys(d, _ROLES, where)
        return QLayerConfig(**{role: QTensorConfig.from_dict(spec, f"{where}.{role}") for role, spec in d.items()
                               if spec is not None})

    def __eq__(self, other):
        return isinstance(other, QLayerConfig) and all(getattr(self, role) == getattr(other, role) for role in _ROLES)

    __hash__ = object.__hash__

    def __repr__(self):
        return f"QLayerConfig({', '.join(f'{role}={getattr(self, role)}' for role in _ROLES if getattr(self, role) is not None)})"


_ROLES = [field.name for field in dataclasses.fields(QLayerConfig)]
