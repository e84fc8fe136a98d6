#include "pipeline/trial_samples.h"

#include <algorithm>
#include <utility>

#include "data/filtered_source.h"

namespace preon {
namespace {

// A few samples tell methods apart by chance where they are all good, as in small networks, whose runs take no time.
constexpr size_t kMaxShortRuns = 512;
constexpr double kNsOfShortRuns = 0.1e9;  // all together
// Else each method costs about a third of a pass over the data.
constexpr size_t kMinRunsOfPass = 12, kMaxRunsOfPass = 32;
constexpr int64_t kShareOfPass = 3;
constexpr size_t kMaxTrialBytes = size_t{32} << 20;
// Kept in any case.
constexpr size_t kMinRuns = 4;

size_t SizeBytes(const TrialRun& run) {
  size_t bytes = 0;
  for (const auto* tensors : {&run.batch.feeds, &run.outputs}) {
    for (const NamedTensor& tensor : *tensors) bytes += tensor.tensor.bytes().size();
  }
  return bytes;
}

class TrialSource final : public DataSource {
 public:
  TrialSource(const std::vector<TrialRun>& runs, size_t step) : runs_(runs), step_(step) {}
  Result<std::optional<Batch>> Next() override {
    if (next_ >= runs_.size()) return std::optional<Batch>();
    return std::optional(runs_[std::exchange(next_, next_ + step_)].batch);
  }
  std::optional<int64_t> SampleCount() const override {
    return static_cast<int64_t>((runs_.size() + step_ - 1) / step_) * BatchSize();
  }
  int64_t BatchSize() const override { return runs_.front().batch.samples; }

 private:
  const std::vector<TrialRun>& runs_;
  const size_t step_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<DataSource> OnlyWanted(std::unique_ptr<DataSource> source, TrialSamples& trial) {
  return Filtered(std::move(source), [&trial](const Batch& batch) { return !batch.held_out && trial.Wants(); });
}

std::unique_ptr<DataSource> TrialSamples::Open(size_t step) const { return std::make_unique<TrialSource>(runs_, step); }

TrialSamples::TrialSamples(double run_ns)
    : short_runs_(std::min(kMaxShortRuns, static_cast<size_t>(kNsOfShortRuns / std::max(run_ns, 1e3)))) {}

size_t TrialSamples::MaxRuns() const {
  const auto part = static_cast<size_t>(seen_ / kShareOfPass);
  return std::max(short_runs_, std::clamp(part, kMinRunsOfPass, kMaxRunsOfPass));
}

void TrialSamples::Clear() {
  runs_.clear();
  seen_ = 0;
  step_ = 1;
  bytes_ = 0;
}

bool TrialSamples::Wants() {
  if (seen_ % step_ == 0) return true;
  ++seen_;
  return false;
}

void TrialSamples::Keep(const Batch& batch, const std::vector<NamedTensor>& outputs) {
  if (seen_++ % step_ != 0) return;
  bytes_ += SizeBytes(runs_.emplace_back(TrialRun{batch, outputs}));
  while (runs_.size() > MaxRuns() || (bytes_ > kMaxTrialBytes && runs_.size() > kMinRuns)) {
    std::vector<TrialRun> kept;
    for (size_t run = 0; run < runs_.size(); run += 2) kept.push_back(std::move(runs_[run]));
    runs_ = std::move(kept);
    step_ *= 2;
    bytes_ = 0;
    for (const TrialRun& run : runs_) bytes_ += SizeBytes(run);
  }
}

}  // namespace preon
