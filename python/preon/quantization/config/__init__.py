from .config import A8W8_QCONFIG, A16W8_QCONFIG, BF16_QCONFIG, BFP16_QCONFIG, QConfig  # noqa: F401
from .data_type import *  # noqa: F401,F403
from .spec import *  # noqa: F401,F403
