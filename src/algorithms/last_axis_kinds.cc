#include "algorithms/last_axis_kinds.h"

#include <string>
#include <utility>

#include "base/text.h"

namespace preon {
namespace {

class LastAxisKind final : public StatisticKind {
 public:
  LastAxisKind(std::string name, LastAxisKinds::Maker make, size_t size)
      : name_(std::move(name)), make_(make), size_(size) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<TensorStatistic> Make() const override { return make_(size_); }

 private:
  std::string name_;
  LastAxisKinds::Maker make_;
  size_t size_;
};

}  // namespace

std::optional<size_t> LastAxisRows(const ChannelLayout& layout, size_t size) {
  const auto count = static_cast<size_t>(layout.samples * layout.outer * layout.channels * layout.inner);
  if (layout.block != 1 || size == 0 || count % size != 0) return std::nullopt;
  return count / size;
}

const StatisticKind& LastAxisKinds::Of(int64_t size) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<StatisticKind>& kind = kinds_[size];
  if (kind == nullptr)
    kind = std::make_unique<LastAxisKind>(StrCat(name_, "-", size), make_, static_cast<size_t>(size));
  return *kind;
}

}  // namespace preon
