#include "eval/feeds.h"

#include <algorithm>

#include "base/tensor_spec.h"
#include "data/convert.h"
#include "eval/values.h"

namespace preon {

Result<std::vector<NamedTensor>> FeedsFor(const Session& session, const std::vector<NamedTensor>& feeds) {
  std::vector<NamedTensor> fitted = feeds;
  for (NamedTensor& feed : fitted) {
    const auto input = std::ranges::find(session.inputs(), feed.name, &TensorSpec::name);
    if (input == session.inputs().end() || input->type == feed.tensor.type()) continue;
    if (!IsFloatingType(input->type) || !IsFloatingType(feed.tensor.type()) ||
        !IsConvertible(feed.tensor.type(), input->type)) {
      continue;
    }
    Result<Tensor> converted = ConvertElements(feed.tensor, input->type);
    if (!converted.ok()) return std::move(converted).status().WithContext("'", feed.name, "'");
    feed.tensor = *std::move(converted);
  }
  return fitted;
}

bool SameFeeds(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  return std::ranges::equal(a, b, [](const NamedTensor& left, const NamedTensor& right) {
    return left.name == right.name && left.tensor.shape() == right.tensor.shape() &&
           left.tensor.type() != DataType::kString && std::ranges::equal(left.tensor.bytes(), right.tensor.bytes());
  });
}

}  // namespace preon
