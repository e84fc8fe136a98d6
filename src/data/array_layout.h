// Which axis of a stored array counts the samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/shape.h"
#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/sample_set.h"

namespace preon {

/// Batch size the model insists on: axis 0 of its first input that has axes, if that is a number above 1; else 1.
int64_t FixedBatch(std::span<const TensorSpec> inputs);

/// True if samples of this input stack along its axis 0: that axis is symbolic, 1 or the model's fixed batch.
bool StacksRows(const TensorSpec& input, int64_t fixed_batch);

/// Whether a size is open beside the samples' own axis, which `rows` have first.
bool HasOpenAxis(const TensorSpec& input, bool rows);

struct ArrayLayout {
  FeedKind kind = FeedKind::kRow;
  int64_t samples = SampleSet::kRepeats;  ///< size of the samples axis; kRepeats for kRepeated
  /// The whole array also fits the input, so beside arrays with more samples it is a constant.
  bool can_repeat = false;
  bool single = false;  ///< samples of it can't be stacked
};

/// Fits an array of shape `array` to an input. Rules, first match wins (table in docs/design/data.md):
///   rows      [samples, shape[1:]...]   where the input stacks rows
///   repeated  the input's shape         where it does not; a scalar for an input of one element
///   whole     [samples, shape...]       one axis more than the input
/// Errors: kDataShape saying which shapes are wanted.
Result<ArrayLayout> FitArray(const Shape& array, const TensorSpec& input, int64_t fixed_batch);

/// Whether `shape` has the input's rank and its known dimensions.
bool FitsShape(std::span<const int64_t> shape, std::span<const int64_t> input);

/// What to do where images of shape `array` have their channels at the other place than `input` ([N, C, H, W] or
/// [N, H, W, C]); empty where that is not why they do not fit.
std::string LayoutHint(std::span<const int64_t> array, std::span<const int64_t> input);

/// How many samples a run over these feeds is, as a source would have counted them: the rows of those inputs that stack
/// rows, where they agree, else 1.
int64_t SamplesOfRun(std::span<const TensorSpec> inputs, std::span<const NamedTensor> feeds);

}  // namespace preon
