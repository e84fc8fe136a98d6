#include "data/array_layout.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace preon {
namespace {

std::string WantedShapes(const TensorSpec& input, int64_t fixed_batch) {
  std::string whole = ShapeToString(input.shape);
  whole = input.shape.empty() ? "[samples]" : "[samples, " + whole.substr(1);
  if (!StacksRows(input, fixed_batch)) return whole + " or " + ShapeToString(input.shape) + " for all samples";
  std::string rows = ShapeToString(input.shape);
  return "[samples" + rows.substr(std::min(rows.find(','), rows.size() - 1));
}

}  // namespace

int64_t FixedBatch(std::span<const TensorSpec> inputs) {
  for (const TensorSpec& input : inputs) {
    if (!input.shape.empty()) return std::max<int64_t>(input.shape[0], 1);
  }
  return 1;
}

bool HasOpenAxis(const TensorSpec& input, bool rows) {
  const auto begin = input.shape.begin() + (rows ? 1 : 0);
  return std::find(begin, input.shape.end(), kDynamicDim) != input.shape.end();
}

bool StacksRows(const TensorSpec& input, int64_t fixed_batch) {
  if (input.shape.empty()) return false;
  const int64_t dim = input.shape[0];
  return dim == kDynamicDim || dim == fixed_batch || (dim == 1 && fixed_batch == 1);
}

bool FitsShape(std::span<const int64_t> shape, std::span<const int64_t> input) {
  return std::equal(shape.begin(), shape.end(), input.begin(), input.end(),
                    [](int64_t dim, int64_t wanted) { return wanted == kDynamicDim || dim == wanted; });
}

Result<ArrayLayout> FitArray(const Shape& array, const TensorSpec& input, int64_t fixed_batch) {
  const std::span<const int64_t> dims(array), wanted(input.shape);
  const bool one_element =
      std::all_of(wanted.begin(), wanted.end(), [](int64_t dim) { return dim == 1 || dim == kDynamicDim; });
  if (StacksRows(input, fixed_batch) && dims.size() == wanted.size() && FitsShape(dims.subspan(1), wanted.subspan(1))) {
    return ArrayLayout{FeedKind::kRow, dims[0], FitsShape(dims, wanted) && IsStatic(input.shape), input.shape[0] == 1};
  }
  if ((dims.empty() && one_element) || FitsShape(dims, wanted)) {
    return ArrayLayout{FeedKind::kRepeated, SampleSet::kRepeats, false, !IsStatic(input.shape)};
  }
  // An input of unknown rank looks like a scalar: it takes whatever each sample is.
  if (!dims.empty() && (wanted.empty() || FitsShape(dims.subspan(1), wanted))) {
    return ArrayLayout{FeedKind::kWhole, dims[0], dims.size() == 1 && dims[0] == 1, true};
  }
  return Error(ErrorId::kDataShape, "shape ", ShapeToString(array), ", wanted ", WantedShapes(input, fixed_batch))
      .WithHint(LayoutHint(array, input.shape));
}

std::string LayoutHint(std::span<const int64_t> array, std::span<const int64_t> input) {
  if (array.size() != 4 || input.size() != 4) return "";
  const auto fits = [&](const std::array<size_t, 3>& axes) {
    return FitsShape(std::array{array[axes[0]], array[axes[1]], array[axes[2]]}, input.subspan(1));
  };
  if (fits({3, 1, 2})) return "the data are [N, H, W, C]; numpy.transpose(x, (0, 3, 1, 2)) makes them [N, C, H, W]";
  if (fits({2, 3, 1})) return "the data are [N, C, H, W]; numpy.transpose(x, (0, 2, 3, 1)) makes them [N, H, W, C]";
  return "";
}

int64_t SamplesOfRun(std::span<const TensorSpec> inputs, std::span<const NamedTensor> feeds) {
  std::optional<int64_t> rows;
  for (const TensorSpec& input : inputs) {
    const auto feed = std::ranges::find(feeds, input.name, &NamedTensor::name);
    if (feed == feeds.end() || feed->tensor.shape().empty() || !StacksRows(input, FixedBatch(inputs))) continue;
    const int64_t count = feed->tensor.shape()[0];
    if (rows && *rows != count) return 1;
    rows = count;
  }
  return rows.value_or(1);
}

}  // namespace preon
