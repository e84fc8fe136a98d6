"""Element types, as classes that are values (`data_type=Int8`)."""
from ...errors import ConfigError
from ..members import did_you_mean
from ..quant_utils import ExtendedQuantType, QuantType


class BaseDataType:
    """Base of all of them."""

    bitwidth = None         #: of a code, or the operator's `bit_width`
    onnx_proto_dtype = 0    #: ONNX's number of the element type; 0 (UNDEFINED) where ONNX has none
    map_onnx_format = None  #: the type's name in the older configurations


class DataType(BaseDataType):
    """Base of users' own types."""


class BaseInt4(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 4, 22, ExtendedQuantType.QInt4
    min_value, max_value = -8, 7


class BaseUInt4(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 4, 21, ExtendedQuantType.QUInt4
    min_value, max_value = 0, 15


class BaseInt8(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 8, 3, QuantType.QInt8
    min_value, max_value = -128, 127


class BaseUInt8(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 8, 2, QuantType.QUInt8
    min_value, max_value = 0, 255


class BaseInt16(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 16, 5, ExtendedQuantType.QInt16
    min_value, max_value = -32768, 32767


class BaseUInt16(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 16, 4, ExtendedQuantType.QUInt16
    min_value, max_value = 0, 65535


class BaseInt32(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 32, 6, ExtendedQuantType.QInt32
    min_value, max_value = -2147483648, 2147483647


class BaseUInt32(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 32, 12, ExtendedQuantType.QUInt32
    min_value, max_value = 0, 4294967295


class BaseFloat16(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 16, 10, ExtendedQuantType.QFloat16


class BaseBFloat16(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 16, 16, ExtendedQuantType.QBFloat16


class BaseBFP16(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 16, 0, ExtendedQuantType.QBFP


class BaseMX4(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 11, 0, ExtendedQuantType.QBFP


class BaseMX6(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 13, 0, ExtendedQuantType.QBFP


class BaseMX9(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 16, 0, ExtendedQuantType.QBFP


class BaseMXInt8(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 8, 0, ExtendedQuantType.QMX
    min_value, max_value = -128, 127


class BaseMXFP4_E2M1(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 4, 0, ExtendedQuantType.QMX
    min_value, max_value = -6.0, 6.0


class BaseMXFP6_E3M2(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 6, 0, ExtendedQuantType.QMX
    min_value, max_value = -28.0, 28.0


class BaseMXFP6_E2M3(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 6, 0, ExtendedQuantType.QMX
    min_value, max_value = -7.5, 7.5


class BaseMXFP8_E5M2(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 8, 0, ExtendedQuantType.QMX
    min_value, max_value = -57344.0, 57344.0


class BaseMXFP8_E4M3(BaseDataType):
    bitwidth, onnx_proto_dtype, map_onnx_format = 8, 0, ExtendedQuantType.QMX
    min_value, max_value = -448.0, 448.0


class Int4(BaseInt4):
    pass


class UInt4(BaseUInt4):
    pass


class Int8(BaseInt8):
    pass


class UInt8(BaseUInt8):
    pass


class Int16(BaseInt16):
    pass


class UInt16(BaseUInt16):
    pass


class Int32(BaseInt32):
    pass


class UInt32(BaseUInt32):
    pass


class Float16(BaseFloat16):
    pass


class BFloat16(BaseBFloat16):
    pass


class BFP16(BaseBFP16):
    pass


class MX4(BaseMX4):
    pass


class MX6(BaseMX6):
    pass


class MX9(BaseMX9):
    pass


class MXInt8(BaseMXInt8):
    pass


class MXFP4E2M1(BaseMXFP4_E2M1):
    pass


class MXFP6E3M2(BaseMXFP6_E3M2):
    pass


class MXFP6E2M3(BaseMXFP6_E2M3):
    pass


class MXFP8E5M2(BaseMXFP8_E5M2):
    pass


class MXFP8E4M3(BaseMXFP8_E4M3):
    pass


class Float8E4M3FN(BaseDataType):
    """Of the older configurations, QuantType.QFLOAT8E4M3FN: no Spec has it."""
    bitwidth, onnx_proto_dtype, map_onnx_format = 8, 17, QuantType.QFLOAT8E4M3FN


ALL = (Int4, UInt4, Int8, UInt8, Int16, UInt16, Int32, UInt32, Float16, BFloat16, BFP16, MX4, MX6, MX9, MXInt8,
       MXFP4E2M1, MXFP6E3M2, MXFP6E2M3, MXFP8E5M2, MXFP8E4M3)
name_dt_map = {each.__name__: each for each in ALL}
dt_name_map = {each: name for name, each in name_dt_map.items()}
_BY_NAME = {**name_dt_map, Float8E4M3FN.__name__: Float8E4M3FN}


def parse_data_type(dtype_name):
    """An instance of the type of that name; None for None. Raises ConfigError for another name."""
    return None if dtype_name is None else data_type_of(dtype_name)()


def data_type_of(value, where="data_type"):
    """The type that `value` is, is derived from, is an instance of, or names. Raises ConfigError, which begins with `where`."""
    kind = type(value) if isinstance(value, BaseDataType) else value
    if isinstance(kind, type) and issubclass(kind, BaseDataType):
        known = next((each for each in kind.__mro__ if each in _BY_NAME.values()), None)
        if known is not None:
            return known
    name = kind if isinstance(kind, str) else getattr(kind, "__name__", None)
    if isinstance(kind, str) and kind in _BY_NAME:
        return _BY_NAME[kind]
    raise ConfigError(1002, f"{where}: got {value!r}, wanted one of {', '.join(name_dt_map)}" + did_you_mean(name, name_dt_map),
                      exit_status=2)
