#include "runtime/session_feeds.h"

#include <algorithm>

#include "base/tensor_spec.h"

namespace preon {
namespace {

Status CheckFeed(const TensorSpec& spec, const Tensor& tensor) {
  if (tensor.type() != spec.type) {
    return Error(ErrorId::kDataType, "'", spec.name, "': type ", DataTypeName(tensor.type()), ", wanted ",
                 DataTypeName(spec.type));
  }
  // An input of unknown rank looks like a scalar here; the runtime itself accepts any shape for it.
  if (spec.shape.empty()) return Status::Ok();
  const Shape& shape = tensor.shape();
  const bool fits = std::equal(shape.begin(), shape.end(), spec.shape.begin(), spec.shape.end(),
                               [](int64_t got, int64_t wanted) { return wanted == kDynamicDim || got == wanted; });
  if (fits) return Status::Ok();
  return Error(ErrorId::kDataShape, "'", spec.name, "': shape ", ShapeToString(shape), ", wanted ",
               ShapeToString(spec.shape));
}

std::string InputNames(const std::vector<TensorSpec>& inputs) {
  std::string names;
  for (const TensorSpec& spec : inputs) names += (names.empty() ? "'" : ", '") + spec.name + "'";
  return names.empty() ? "none" : names;
}

}  // namespace

Result<std::vector<const Tensor*>> MatchFeeds(const std::vector<TensorSpec>& inputs,
                                              const std::vector<NamedTensor>& feeds) {
  for (const NamedTensor& feed : feeds) {
    const bool known =
        std::any_of(inputs.begin(), inputs.end(), [&](const TensorSpec& spec) { return spec.name == feed.name; });
    if (!known) {
      return Error(ErrorId::kDataInputName, "'", feed.name,
                   "' is not an input of the model; it has: ", InputNames(inputs));
    }
  }
  std::vector<const Tensor*> matched;
  for (const TensorSpec& spec : inputs) {
    const auto feed =
        std::find_if(feeds.begin(), feeds.end(), [&](const NamedTensor& f) { return f.name == spec.name; });
    if (feed == feeds.end()) return Error(ErrorId::kDataInputName, "no data for input '", spec.name, "'");
    PREON_RETURN_IF_ERROR(CheckFeed(spec, feed->tensor));
    matched.push_back(&feed->tensor);
  }
  return matched;
}

}  // namespace preon
