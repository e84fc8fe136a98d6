// The geometry and colour of --preprocess, each step as the library that people train with does it.
#pragma once

#include "data/images/pixels.h"
#include "data/images/preprocess.h"
#include "data/images/resample.h"

namespace preon {

/// RGB or grey to RGB, BGR or grey. Grey is ITU-R 601 luma in 16-bit fixed point. Source: Pillow, convert("L").
Pixels ToColor(const Pixels& picture, Color color);

/// The part of `size` whose upper left corner is at (left, top); it must lie inside.
Pixels Crop(const Pixels& picture, int left, int top, PictureSize size);

/// Size with its shorter side at `side` and the longer in proportion, cut to a whole number.
/// Source: torchvision, transforms.functional.resize.
PictureSize SizeWithShorterSide(PictureSize size, int side);

/// The largest copy that fits into `size` with its proportions kept, at the upper left; the rest is `border`.
/// Source: YOLOX, data/data_augment.py, preproc (which resizes by OpenCV without antialias).
Pixels Letterbox(const Pixels& picture, PictureSize size, uint8_t border);

}  // namespace preon
