"""Element types, as classes that are values (`data_type=Int8`)."""


class BaseDataType:
    """Base of all of them; `preon_name` is the type's name on the command line."""

    preon_name = None
    bitwidth = None


DataType = BaseDataType


def _type(name, bitwidth, preon_name=None):
    return type(name, (BaseDataType,), {"__module__": __name__, "bitwidth": bitwidth, "preon_name": preon_name or name.lower()})


Int4, UInt4 = _type("Int4", 4), _type("UInt4", 4)
Int8, UInt8 = _type("Int8", 8), _type("UInt8", 8)
Int16, UInt16 = _type("Int16", 16), _type("UInt16", 16)
Int32, UInt32 = _type("Int32", 32), _type("UInt32", 32)
Float16, BFloat16 = _type("Float16", 16), _type("BFloat16", 16)
BFP16 = _type("BFP16", 16)
MX4, MX6, MX9 = _type("MX4", 4), _type("MX6", 6), _type("MX9", 9)
MXInt8 = _type("MXInt8", 8)
MXFP4E2M1 = _type("MXFP4E2M1", 4)
MXFP6E3M2, MXFP6E2M3 = _type("MXFP6E3M2", 6), _type("MXFP6E2M3", 6)
MXFP8E5M2, MXFP8E4M3 = _type("MXFP8E5M2", 8), _type("MXFP8E4M3", 8)

ALL = (Int4, UInt4, Int8, UInt8, Int16, UInt16, Int32, UInt32, Float16, BFloat16, BFP16, MX4, MX6, MX9, MXInt8,
       MXFP4E2M1, MXFP6E3M2, MXFP6E2M3, MXFP8E5M2, MXFP8E4M3)
