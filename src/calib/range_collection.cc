#include "calib/range_collection.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace preon {
namespace {

// [samples][outer][ceil(channels / block)][inner][block] without blocks and padding.
std::span<const float> PlainValues(const ObservedValue& value, const ChannelLayout& layout, std::vector<float>& plain) {
  const auto count = static_cast<size_t>(ElementCount(value.shape));
  if (layout.block == 1) return {value.data, count};
  const int64_t blocks = (layout.channels + layout.block - 1) / layout.block;
  plain.clear();
  plain.reserve(count);
  for (int64_t outer = 0; outer < layout.samples * layout.outer; ++outer) {
    for (int64_t channel = 0; channel < layout.channels; ++channel) {
      const int64_t first = (outer * blocks + channel / layout.block) * layout.inner * layout.block;
      for (int64_t i = 0; i < layout.inner; ++i)
        plain.push_back(value.data[first + i * layout.block + channel % layout.block]);
    }
  }
  return plain;
}

// Infinities replaced; the portion itself where there are none.
std::span<const float> Cleaned(std::span<const float> portion, std::vector<float>& cleaned) {
  if (std::ranges::all_of(portion, [](float x) { return std::isfinite(x); })) return portion;
  cleaned.clear();
  std::ranges::copy_if(portion, std::back_inserter(cleaned), [](float x) { return std::isfinite(x); });
  float low = 0, high = 0;
  if (!cleaned.empty()) {
    const auto [smallest, largest] = std::ranges::minmax(cleaned);
    low = smallest;
    high = largest;
  }
  cleaned.assign(portion.begin(), portion.end());
  for (float& x : cleaned) x = std::clamp(x, low, high);
  return cleaned;
}

}  // namespace

Result<RangeCollection> RangeCollection::Create(std::vector<std::string> tensors,
                                                std::vector<std::unique_ptr<RangeCollector>> collectors,
                                                const std::string& tmp_dir) {
  RangeCollection collection(std::move(tensors), std::move(collectors));
  if (std::ranges::any_of(collection.collectors_, [](const auto& one) { return one && one->rereads(); })) {
    PREON_ASSIGN_OR_RETURN(collection.store_, ValueStore::Create(tmp_dir));
  }
  return collection;
}

Status RangeCollection::Add(size_t index, const ObservedValue& value, const Batch& batch) {
  RangeCollector* collector = collectors_[index].get();
  if (collector == nullptr || ElementCount(value.shape) == 0) return Status::Ok();
  const ChannelLayout layout = LayoutOf(value, batch.samples);
  const std::span<const float> values = PlainValues(value, layout, plain_);
  if (std::ranges::any_of(values, [](float x) { return std::isnan(x); })) return Status::Ok();
  if (collector->by_run()) return AddPortion(index, values);
  const size_t size = values.size() / static_cast<size_t>(layout.samples);
  for (size_t first = 0; first < values.size(); first += size)
    PREON_RETURN_IF_ERROR(AddPortion(index, values.subspan(first, size)));
  return Status::Ok();
}

Status RangeCollection::AddPortion(size_t index, std::span<const float> portion) {
  const std::span<const float> finite = Cleaned(portion, cleaned_);
  collectors_[index]->Add(finite);
  fed_[index] = true;
  return collectors_[index]->rereads() ? store_->Append(index, finite) : Status::Ok();
}

Result<std::map<std::string, Range>> RangeCollection::Finish() {
  std::map<std::string, Range> ranges;
  for (size_t index = 0; index < tensors_.size(); ++index) {
    if (!fed_[index]) continue;
    ValueReplay again;
    if (collectors_[index]->rereads()) {
      PREON_ASSIGN_OR_RETURN(again, store_->Replay(index));
    }
    Result<Range> range = collectors_[index]->Finish(again);
    if (!range.ok()) return std::move(range).status().WithContext(tensors_[index]);
    ranges.emplace(tensors_[index], *range);
  }
  return ranges;
}

void CollectingObserver::BeginRun(const Batch& batch) {
  batch_ = &batch;
  sketches_.BeginRun(batch);
}

Status CollectingObserver::EndRun() {
  PREON_RETURN_IF_ERROR(sketches_.EndRun());
  return std::exchange(status_, Status::Ok());
}

void CollectingObserver::Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) {
  if (status_.ok()) status_ = collection_.Add(index, value, *batch_);
  sketches_.Observe(index, value, parallel_for);
}

}  // namespace preon
