#include "eval/runnable_inputs.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "data/array_layout.h"

namespace preon {
namespace {

// Likely ones first; MakeRandomSet's own have been tried.
constexpr std::array<int64_t, 7> kSides = {256, 320, 416, 640, 128, 64, 32};
constexpr std::array<int64_t, 12> kLengths = {64, 80, 128, 100, 256, 512, 1024, 16, 8, 4, 2048, 1};
constexpr std::array<int64_t, 2> kSoundLengths = {16000, 32000};

constexpr size_t kImageRank = 4;
constexpr size_t kFirstSide = 2;

bool IsOpen(const TensorSpec& input, int64_t fixed_batch) {
  return StacksRows(input, fixed_batch) && HasOpenAxis(input, /*rows=*/true);
}

// [N, T] or [N, 1, T]: other lengths may count twice, as that of an attention, and take all memory.
bool IsSound(const TensorSpec& input) {
  return input.type == DataType::kFloat &&
         (input.shape.size() == 2 || (input.shape.size() == 3 && input.shape[1] == 1));
}

std::vector<TensorSpec> WithSizes(std::vector<TensorSpec> inputs, int64_t side, int64_t length) {
  const int64_t fixed_batch = FixedBatch(inputs);
  for (TensorSpec& input : inputs) {
    if (!IsOpen(input, fixed_batch)) continue;
    for (size_t axis = 1; axis < input.shape.size(); ++axis) {
      if (input.shape[axis] == kDynamicDim)
        input.shape[axis] = input.shape.size() == kImageRank && axis >= kFirstSide ? side : length;
    }
  }
  return inputs;
}

// Every side with the first length, then every length with the first side.
std::vector<std::vector<TensorSpec>> Candidates(const std::vector<TensorSpec>& inputs) {
  std::vector<std::vector<TensorSpec>> candidates;
  const auto add = [&](int64_t side, int64_t length) {
    std::vector<TensorSpec> candidate = WithSizes(inputs, side, length);
    const auto same = [&](const std::vector<TensorSpec>& other) {
      return std::ranges::equal(other, candidate, {}, &TensorSpec::shape, &TensorSpec::shape);
    };
    if (std::ranges::none_of(candidates, same)) candidates.push_back(std::move(candidate));
  };
  for (const int64_t side : kSides) add(side, kLengths.front());
  for (const int64_t length : kLengths) add(kSides.front(), length);
  const int64_t fixed_batch = FixedBatch(inputs);
  const auto may_be_long = [&](const TensorSpec& input) { return !IsOpen(input, fixed_batch) || IsSound(input); };
  if (std::ranges::all_of(inputs, may_be_long))
    for (const int64_t length : kSoundLengths) add(kSides.front(), length);
  return candidates;
}

std::string ShapesOf(const std::vector<TensorSpec>& inputs, const std::vector<TensorSpec>& chosen) {
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].shape == chosen[i].shape) continue;
    text += StrCat(text.empty() ? "" : ", ", "'", inputs[i].name, "' ", ShapeToString(chosen[i].shape));
  }
  return text;
}

}  // namespace

bool HaveOpenSizes(const std::vector<TensorSpec>& inputs) {
  const int64_t fixed_batch = FixedBatch(inputs);
  return std::ranges::any_of(inputs, [&](const TensorSpec& input) { return IsOpen(input, fixed_batch); });
}

Result<std::vector<TensorSpec>> FindRunnableInputs(Session& session, const std::vector<TensorSpec>& inputs,
                                                   const FirstBatchOf& first, const RunContext& context) {
  if (!HaveOpenSizes(inputs)) return inputs;
  const auto runs = [&](const std::vector<TensorSpec>& tried) -> Result<bool> {
    PREON_RETURN_IF_ERROR(context.CheckCancelled());
    PREON_ASSIGN_OR_RETURN(const Batch batch, first(tried));
    const Status status = session.Run(batch.feeds, context).status();
    if (!status.ok() && status.id() == ErrorId::kCancelled) return status;
    return status.ok();
  };
  PREON_ASSIGN_OR_RETURN(const bool as_they_are, runs(inputs));
  if (as_they_are) return inputs;
  for (const std::vector<TensorSpec>& candidate : Candidates(inputs)) {
    PREON_ASSIGN_OR_RETURN(const bool found, runs(candidate));
    if (!found) continue;
    context.Log(LogLevel::kWarning, StrCat("random samples: the model does not run with the usual sizes; found by "
                                           "trying: ",
                                           ShapesOf(inputs, candidate), " (--random-shape sets others)"));
    return candidate;
  }
  return inputs;
}

}  // namespace preon
