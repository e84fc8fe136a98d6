#include "eval/metrics/detected_boxes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "eval/values.h"

namespace preon {
namespace {

constexpr double kLeastScore = 0.01;    // lower ones change no average precision that anybody reports
constexpr double kMostOverlap = 0.65;   // as YOLOX and YOLOv8 evaluate COCO
constexpr size_t kMostOfClass = 1000;   // that compete
constexpr int64_t kFieldsOfBoxes = 6;   // x1, y1, x2, y2, score, class
constexpr int64_t kFieldsInFront = 4;   // of scores: where the box is
constexpr int64_t kSmallestStride = 8;  // of a grid of cells

struct ImageSize {
  int64_t height = 0, width = 0;
};

std::optional<ImageSize> SizeOfImage(const Batch& batch) {
  for (const NamedTensor& feed : batch.feeds) {
    const Shape& shape = feed.tensor.shape();
    if (shape.size() != 4) continue;
    const bool channels_last = shape[3] <= 4 && shape[1] > 4;
    return channels_last ? ImageSize{shape[1], shape[2]} : ImageSize{shape[2], shape[3]};
  }
  return std::nullopt;
}

// Of strides 8, 16, ... : so many as have `places` cells together; none where no number of them does.
std::vector<int64_t> StridesOf(const ImageSize& image, int64_t places) {
  for (const int64_t largest : {32, 64}) {
    std::vector<int64_t> strides;
    int64_t cells = 0;
    for (int64_t stride = kSmallestStride; stride <= largest; stride *= 2) {
      strides.push_back(stride);
      cells += (image.height / stride) * (image.width / stride);
    }
    if (cells == places) return strides;
  }
  return {};
}

// One sample's places, each with a box and scores.
struct Places {
  size_t count = 0, fields = 0;
  size_t place_step = 1, field_step = 1;
  bool has_object_score = false;

  size_t first_class() const { return static_cast<size_t>(kFieldsInFront) + (has_object_score ? 1 : 0); }
  double At(std::span<const double> values, size_t place, size_t field) const {
    return values[place * place_step + field * field_step];
  }
};

Places InRows(const Shape& shape) {
  const auto fields = static_cast<size_t>(shape[2]);
  return {.count = static_cast<size_t>(shape[1]),
          .fields = fields,
          .place_step = fields,
          .field_step = 1,
          .has_object_score = true};
}

Places InColumns(const Shape& shape) {
  const auto count = static_cast<size_t>(shape[2]);
  return {.count = count, .fields = static_cast<size_t>(shape[1]), .place_step = 1, .field_step = count};
}

using Corners = std::array<double, 4>;

Corners AroundCentre(double x, double y, double width, double height) {
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

// Offsets in cells and logarithms of sizes in cells, level after level of the grid, rows first.
std::vector<Corners> CornersOfCells(const ImageSize& image, const std::vector<int64_t>& strides, const Places& places,
                                    std::span<const double> values) {
  std::vector<Corners> corners;
  for (const int64_t stride : strides) {
    const auto step = static_cast<double>(stride);
    for (int64_t row = 0; row < image.height / stride; ++row) {
      for (int64_t column = 0; column < image.width / stride; ++column) {
        const auto of = [&](size_t field) { return places.At(values, corners.size(), field); };
        corners.push_back(AroundCentre((of(0) + static_cast<double>(column)) * step,
                                       (of(1) + static_cast<double>(row)) * step, std::exp(of(2)) * step,
                                       std::exp(of(3)) * step));
      }
    }
  }
  return corners;
}

std::vector<Corners> CornersOfCentres(const Places& places, std::span<const double> values) {
  std::vector<Corners> corners;
  for (size_t place = 0; place < places.count; ++place) {
    const auto of = [&](size_t field) { return places.At(values, place, field); };
    corners.push_back(AroundCentre(of(0), of(1), of(2), of(3)));
  }
  return corners;
}

// Pixels reach far into the image, offsets in cells and logarithms do not.
bool IsInCells(const ImageSize& image, const Places& places, std::span<const double> values) {
  const auto most = static_cast<double>(std::min(image.height, image.width)) / 4;
  for (size_t place = 0; place < places.count; ++place)
    for (size_t field = 0; field < static_cast<size_t>(kFieldsInFront); ++field)
      if (std::abs(places.At(values, place, field)) >= most) return false;
  return true;
}

// Of each class, the best first; what overlaps one that is kept goes.
std::vector<Box> WithoutRepetitions(std::vector<Box> boxes) {
  std::ranges::stable_sort(
      boxes, [](const Box& a, const Box& b) { return a.label != b.label ? a.label < b.label : a.score > b.score; });
  std::vector<Box> kept;
  size_t first = 0, seen = 0;  // of the class among `kept`, and of those that competed
  for (const Box& box : boxes) {
    if (!kept.empty() && kept.back().label != box.label) first = kept.size(), seen = 0;
    if (++seen > kMostOfClass) continue;
    const bool repeats = std::any_of(kept.begin() + static_cast<std::ptrdiff_t>(first), kept.end(),
                                     [&](const Box& of) { return Overlap(of.corners, box.corners) > kMostOverlap; });
    if (!repeats) kept.push_back(box);
  }
  std::ranges::stable_sort(kept, std::greater(), &Box::score);
  return kept;
}

std::vector<Box> BoxesAtPlaces(const std::vector<Corners>& corners, const Places& places,
                               std::span<const double> values) {
  std::vector<Box> boxes;
  for (size_t place = 0; place < places.count; ++place) {
    const double object = places.has_object_score ? places.At(values, place, places.first_class() - 1) : 1;
    if (!(object >= kLeastScore)) continue;
    for (size_t field = places.first_class(); field < places.fields; ++field) {
      const double score = object * places.At(values, place, field);
      if (score >= kLeastScore)
        boxes.push_back({corners[place], score, static_cast<int64_t>(field - places.first_class())});
    }
  }
  return WithoutRepetitions(std::move(boxes));
}

std::vector<Box> BoxesAsGiven(std::span<const double> rows) {
  std::vector<Box> boxes;
  for (size_t at = 0; at < rows.size(); at += static_cast<size_t>(kFieldsOfBoxes)) {
    const double* row = rows.data() + at;
    if (row[5] >= 0 && row[4] > 0)
      boxes.push_back({{row[0], row[1], row[2], row[3]}, row[4], static_cast<int64_t>(row[5])});
  }
  std::ranges::stable_sort(boxes, std::greater(), &Box::score);
  return boxes;
}

// [places, 4]: corners, unless some row can't be.
std::vector<Corners> CornersOf(std::span<const double> rows) {
  std::vector<Corners> corners;
  bool ordered = true;
  for (size_t at = 0; at < rows.size(); at += static_cast<size_t>(kFieldsInFront)) {
    corners.push_back({rows[at], rows[at + 1], rows[at + 2], rows[at + 3]});
    ordered &= rows[at + 2] >= rows[at] && rows[at + 3] >= rows[at + 1];
  }
  if (!ordered)
    for (Corners& each : corners) each = AroundCentre(each[0], each[1], each[2], each[3]);
  return corners;
}

std::vector<Box> BoxesWithScores(const std::vector<Corners>& corners, std::span<const double> scores) {
  const size_t classes = scores.size() / corners.size(), first = classes > 1 ? 1 : 0;  // behind the background
  std::vector<Box> boxes;
  for (size_t place = 0; place < corners.size(); ++place)
    for (size_t index = first; index < classes; ++index)
      if (const double score = scores[place * classes + index]; score >= kLeastScore)
        boxes.push_back({corners[place], score, static_cast<int64_t>(index - first)});
  return WithoutRepetitions(std::move(boxes));
}

// What one output of a batch tells of one sample.
using SampleReader = std::function<std::vector<Box>(std::span<const double> values)>;

// An output that has boxes and scores.
std::optional<SampleReader> ReaderOf(const Batch& batch, const Shape& shape) {
  const std::optional<ImageSize> image = SizeOfImage(batch);
  if (image) {
    const std::vector<int64_t> cells = StridesOf(*image, shape[1]);
    const bool rows = !cells.empty() || (shape[1] % 3 == 0 && !StridesOf(*image, shape[1] / 3).empty());
    if (rows && shape[2] > kFieldsInFront + 1) {
      return [image = *image, cells, places = InRows(shape)](std::span<const double> values) {
        const bool in_cells = !cells.empty() && IsInCells(image, places, values);
        return BoxesAtPlaces(in_cells ? CornersOfCells(image, cells, places, values) : CornersOfCentres(places, values),
                             places, values);
      };
    }
    if (shape[1] > kFieldsInFront && !StridesOf(*image, shape[2]).empty()) {
      return [places = InColumns(shape)](std::span<const double> values) {
        return BoxesAtPlaces(CornersOfCentres(places, values), places, values);
      };
    }
  }
  if (shape[2] == kFieldsOfBoxes) return BoxesAsGiven;
  return std::nullopt;
}

bool IsOfPlaces(const NamedTensor& output, int64_t samples) {
  const Shape& shape = output.tensor.shape();
  return IsFloatingType(output.tensor.type()) && shape.size() == 3 && shape[0] == samples && output.tensor.count() > 0;
}

// Boxes and scores in outputs of their own.
struct BoxesAndScores {
  const NamedTensor* boxes = nullptr;
  const NamedTensor* scores = nullptr;
};

std::optional<BoxesAndScores> FindBoxesAndScores(const std::vector<NamedTensor>& outputs, int64_t samples) {
  for (const NamedTensor& boxes : outputs) {
    if (!IsOfPlaces(boxes, samples) || boxes.tensor.shape()[2] != kFieldsInFront) continue;
    for (const NamedTensor& scores : outputs)
      if (&scores != &boxes && IsOfPlaces(scores, samples) && scores.tensor.shape()[1] == boxes.tensor.shape()[1])
        return BoxesAndScores{&boxes, &scores};
  }
  return std::nullopt;
}

std::span<const double> OfSample(const std::vector<double>& values, int64_t sample, int64_t samples) {
  const size_t size = values.size() / static_cast<size_t>(samples);
  return std::span(values).subspan(static_cast<size_t>(sample) * size, size);
}

}  // namespace

double Overlap(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  const auto area = [](const std::array<double, 4>& box) {
    return std::max(0.0, box[2] - box[0]) * std::max(0.0, box[3] - box[1]);
  };
  const double shared = area({std::max(a[0], b[0]), std::max(a[1], b[1]), std::min(a[2], b[2]), std::min(a[3], b[3])});
  const double all = area(a) + area(b) - shared;
  return all > 0 ? shared / all : 0;
}

Result<std::vector<std::vector<Box>>> DetectedBoxes(const Batch& batch, const std::vector<NamedTensor>& outputs) {
  std::vector<std::vector<Box>> boxes;
  if (const auto found = FindBoxesAndScores(outputs, batch.samples)) {
    const std::vector<double> places = ToDoubles(found->boxes->tensor), scores = ToDoubles(found->scores->tensor);
    for (int64_t sample = 0; sample < batch.samples; ++sample)
      boxes.push_back(
          BoxesWithScores(CornersOf(OfSample(places, sample, batch.samples)), OfSample(scores, sample, batch.samples)));
    return boxes;
  }
  std::string shapes;
  for (const NamedTensor& output : outputs) {
    shapes += StrCat(shapes.empty() ? "" : ", ", ShapeToString(output.tensor.shape()));
    if (!IsOfPlaces(output, batch.samples)) continue;
    const std::optional<SampleReader> reader = ReaderOf(batch, output.tensor.shape());
    if (!reader) continue;
    const std::vector<double> values = ToDoubles(output.tensor);
    for (int64_t sample = 0; sample < batch.samples; ++sample)
      boxes.push_back((*reader)(OfSample(values, sample, batch.samples)));
    return boxes;
  }
  return Error(ErrorId::kMissingOption, "--metric map: the outputs ", shapes, " are not those of a known detector: ",
               "[samples, boxes, 6] of x1, y1, x2, y2, score, class; YOLOv5, YOLOX, YOLOv8; boxes and scores of SSD")
      .WithHint("--metric FILE.py measures with a function evaluate(model) of your own");
}

}  // namespace preon
