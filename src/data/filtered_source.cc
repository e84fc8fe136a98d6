#include "data/filtered_source.h"

#include <utility>

namespace preon {
namespace {

class FilteredSource final : public DataSource {
 public:
  FilteredSource(std::unique_ptr<DataSource> source, std::function<bool(const Batch& batch)> takes,
                 std::optional<int64_t> count)
      : source_(std::move(source)), takes_(std::move(takes)), count_(count) {}

  std::optional<int64_t> SampleCount() const override { return count_; }
  int64_t BatchSize() const override { return source_->BatchSize(); }
  Result<std::optional<Batch>> Next() override {
    while (true) {
      Result<std::optional<Batch>> batch = source_->Next();
      if (!batch.ok() || !batch->has_value() || takes_(**batch)) return batch;
    }
  }

 private:
  const std::unique_ptr<DataSource> source_;
  const std::function<bool(const Batch& batch)> takes_;
  const std::optional<int64_t> count_;
};

}  // namespace

std::unique_ptr<DataSource> Filtered(std::unique_ptr<DataSource> source, std::function<bool(const Batch& batch)> takes,
                                     std::optional<int64_t> count) {
  return std::make_unique<FilteredSource>(std::move(source), std::move(takes), count);
}

}  // namespace preon
