"""What each preset reaches on the real models of test_presets_run.py, as measured there: less means that something got lost.

Eight images or sentences, or four photos, calibrate and judge, so that these figures are not those of docs/presets.md, which hold for unseen
samples. They come out the same in each run; the margins are for other processors and for searches that end elsewhere by a hair."""
import re

#: dB of ResNet20, MobileNetV2 and the SST-2 transformer, of presets without fitted codes; and of the one that has no such twin.
SQNR_DB = {
    "XINT8_QCONFIG": (24.7, 13.0, 37.4), "VINT8_QCONFIG": (22.2, 11.5, 38.4), "A8W8_QCONFIG": (28.1, 13.4, 36.7),
    "A16W8_QCONFIG": (34.7, 19.0, 43.9), "BF16_QCONFIG": (37.9, 31.2, 50.4), "BFP16_QCONFIG": (28.0, 22.5, 43.0),
    "UINT8_DYNAMIC_QUANT": (48.7, 43.0, 43.8), "XINT8": (23.2, 11.9, 37.4), "VINT8": (22.7, 10.6, 38.4), "S8S8_AAWS": (28.7, 16.0, 36.9),
    "U8S8_AAWS": (27.5, 16.5, 35.5), "U8U8_AAWA": (27.7, 16.7, 38.4), "S16S8_ASWS": (33.3, 19.3, 44.1), "A8W8": (25.0, 12.2, 35.5),
    "A16W8": (33.3, 19.5, 43.9), "U16S8_AAWS": (33.3, 19.3, 44.1), "FP16": (59.3, 44.7, 70.7), "BF16": (37.9, 31.2, 50.4),
    "BFP16": (28.0, 22.5, 43.0), "MX4": (1.3, -1.1, 5.1), "MX6": (13.2, 6.8, 22.7), "MX9": (30.3, 24.6, 43.3), "MXFP8E5M2": (9.6, 3.4, 18.2),
    "MXFP8E4M3": (12.6, 7.7, 20.3), "MXFP6E3M2": (9.9, 3.3, 18.1), "MXFP6E2M3": (14.1, 7.2, 22.4), "MXFP4E2M1": (2.3, -0.7, 8.5),
    "MXINT8": (28.5, 19.8, 40.9), "S16S16_MIXED_S8S8": (27.7, 12.5, 47.2), "BF16_MIXED_BFP16": (31.5, 24.1, 45.8),
    "BF16_MIXED_MXINT8": (29.5, 21.7, 44.2), "BF16_BFP16": (31.6, 21.5, 46.9), "BF16_MXINT8": (30.1, 20.3, 42.4), "MX9_INT8": (29.2, 18.1, 39.2),
    "INT8_CNN_DEFAULT": (28.0, 16.1, 38.4), "INT16_CNN_DEFAULT": (73.7, 61.3, 86.4), "INT8_TRANSFORMER_DEFAULT": (17.5, 30.1, 42.4),
    "INT16_TRANSFORMER_DEFAULT": (33.7, 81.3, 61.4), "MATMUL_NBITS": (29.5, 26.1, 34.0), "XINT8_WEIGHTSONLY_ADAROUND_CONFIG": (64.6, 89.7, 52.9),
}
MARGIN_DB = 1.5
#: What codes fitted to these samples gain over the same types without, at the least: measured are 5.9, 0.6 and 0.9 dB or more.
GAIN_DB = (3.0, 0.0, 0.0)
FITTED = re.compile("_ADAROUND|_ADAQUANT|ACCURATE")


def least_sqnr_db(preset, index):
    """The bound of a preset on the model at this place of the tuples."""
    if preset in SQNR_DB:
        return SQNR_DB[preset][index] - MARGIN_DB
    figure = SQNR_DB[FITTED.sub(lambda found: "DEFAULT" if found[0] == "ACCURATE" else "", preset)][index]
    has_codes = not re.match("FP16|BF|MX", preset)   # else nothing is fitted
    return figure + GAIN_DB[index] if has_codes else figure - MARGIN_DB
