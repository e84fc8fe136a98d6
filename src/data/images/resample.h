// Resizing as Pillow does it.
#pragma once

#include "data/images/pixels.h"

namespace preon {

/// The picture at another size (each side at least 1), equal to Pillow's Image.resize(size, BILINEAR) up to version 12
/// to the last bit. Pillow 13 goes along columns first for some sizes, which moves single values by 1 of 255.
///
/// A triangle filter, two output pixels wide when shrinking (so it averages: antialias) and two input pixels wide when
/// growing; first along rows, then along columns, each rounded to 8 bits. Weights are 22-bit fixed-point numbers, so
/// the result is the same to the last bit everywhere.
/// Source: Pillow, src/libImaging/Resample.c (2.7 to 12).
Pixels ResizeBilinear(const Pixels& picture, PictureSize size);

}  // namespace preon
