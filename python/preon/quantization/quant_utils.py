"""Types and formats of the older configurations, with AMD Quark's numbers."""
import warnings

from .members import Named

_COP_DOMAIN = "com.amd.quark"  #: domain of the operators for types that ONNX has not
_COP_VERSION = 1


class QuantType(Named):
    """ONNX Runtime's."""

    QInt8 = 0
    QUInt8 = 1
    QFLOAT8E4M3FN = 2
    QInt16 = 3
    QUInt16 = 4
    QInt4 = 5
    QUInt4 = 6


class QuantFormat(Named):
    """ONNX Runtime's."""

    QOperator = 0
    QDQ = 1


class QuantizationMode(Named):
    """ONNX Runtime's."""

    IntegerOps = 0
    QLinearOps = 1


class ExtendedQuantType(Named):
    """What else a tensor may become."""

    QInt8 = 1
    QUInt8 = 2
    QInt16 = 3
    QUInt16 = 4
    QInt32 = 5
    QUInt32 = 6
    QFloat16 = 7
    QBFloat16 = 8
    QBFP = 9
    QMX = 10
    QInt4 = 11
    QUInt4 = 12

    @property
    def tensor_type(self):
        """ONNX's number of the element type; 0 (UNDEFINED) for blocks."""
        return _TENSOR_TYPES[self.name]


class ExtendedQuantFormat(Named):
    """How types that ONNX has not are written."""

    QOperator = 0
    QDQ = 1


#: Deprecated: the members of ExtendedQuantType that Quark has.
VitisQuantType = Named("VitisQuantType", {member.name: member.value for member in ExtendedQuantType if member.value <= 10}, module=__name__)


class VitisQuantFormat(Named):
    """Deprecated: ExtendedQuantFormat.QDQ."""

    QDQ = 2
    FixNeuron = 3
    BFPFixNeuron = 4
    MXFixNeuron = 5


_TENSOR_TYPES = {"QInt8": 3, "QUInt8": 2, "QInt16": 5, "QUInt16": 4, "QInt32": 6, "QUInt32": 12, "QFloat16": 10,
                 "QBFloat16": 16, "QBFP": 0, "QMX": 0, "QInt4": 22, "QUInt4": 21}


def modern(member):
    """The member that a deprecated one stands for; others as they are."""
    if isinstance(member, VitisQuantType):
        warnings.warn("VitisQuantType is deprecated, use ExtendedQuantType", DeprecationWarning, 3)
        return ExtendedQuantType[member.name]
    if isinstance(member, VitisQuantFormat):
        warnings.warn("VitisQuantFormat is deprecated, use ExtendedQuantFormat", DeprecationWarning, 3)
        return ExtendedQuantFormat.QDQ
    return member
