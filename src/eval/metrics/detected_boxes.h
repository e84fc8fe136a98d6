// Boxes that a detector found, out of its outputs as exporters give them.
#pragma once

#include <array>
#include <vector>

#include "base/status.h"
#include "data/data_source.h"

namespace preon {

struct Box {
  std::array<double, 4> corners{};  ///< x1, y1, x2, y2
  double score = 0;
  int64_t label = 0;
};

/// Intersection over union.
double Overlap(const std::array<double, 4>& a, const std::array<double, 4>& b);

/// Those of each sample, best score first, without those that overlap a better one of their class (IoU above 0.65).
/// The outputs' shapes tell what they hold; G is the number of grid cells of an input image at strides 8, 16, 32, or
/// 8, 16, 32, 64:
///  - [samples, boxes, 6]: x1, y1, x2, y2, score, class, which are taken as they are;
///  - [samples, G or 3 G, 5 + classes] (YOLOv5, YOLOX): centre, size, score of an object, scores of the classes. With G
///    places and coordinates below a quarter of the image they are YOLOX's offsets and logarithms in cells;
///  - [samples, 4 + classes, G] (YOLOv8 and later): centre, size, scores;
///  - [samples, places, 4] and [samples, places, 1 + classes] (SSD): corners, or centre and size; class 0 is
///  background.
/// Errors: kMissingOption with these forms where no output has one of them.
Result<std::vector<std::vector<Box>>> DetectedBoxes(const Batch& batch, const std::vector<NamedTensor>& outputs);

}  // namespace preon
