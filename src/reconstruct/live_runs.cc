#include "reconstruct/live_runs.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "quantize/qdq_passes/integer_form.h"
#include "reconstruct/segment.h"
#include "runtime/session.h"

namespace preon {
namespace {

size_t BytesOf(const std::map<std::string, Tensor>& tensors) {
  size_t bytes = 0;
  for (const auto& [name, tensor] : tensors) bytes += tensor.bytes().size();
  return bytes;
}

// With fewer than ten runs, all fit and judge.
size_t JudgingStep(size_t runs) {
  constexpr size_t kStep = 10, kLeastStep = 4, kEnoughToJudge = 16;
  return runs < kStep ? kStep : std::clamp(runs / kEnoughToJudge, kLeastStep, kStep);
}

}  // namespace

LiveRuns::LiveRuns(const std::vector<Batch>& batches, const RunContext& context, size_t judging_step)
    : context_(&context), judging_step_(judging_step != 0 ? judging_step : JudgingStep(batches.size())) {
  for (const Batch& batch : batches) {
    samples_ += batch.samples;
    first_samples_.push_back(batch.first_sample);
    auto& run = runs_.emplace_back();
    for (const NamedTensor& feed : batch.feeds) run.emplace(feed.name, feed.tensor);
  }
}

bool LiveRuns::Judges(size_t run) const { return runs() < judging_step_ || run % judging_step_ == judging_step_ - 1; }
bool LiveRuns::Fits(size_t run) const { return runs() < judging_step_ || !Judges(run); }

// Sizes that differ from run to run are open.
std::map<std::string, ValueInfo> LiveRuns::Known() const {
  std::map<std::string, ValueInfo> known;
  for (const auto& run : runs_) {
    for (const auto& [name, tensor] : run) {
      const auto [entry, fresh] =
          known.try_emplace(name, ValueInfo{.type = tensor.type(), .shape = tensor.shape(), .dim_names = {}});
      if (fresh) continue;
      std::optional<Shape>& shape = entry->second.shape;
      if (shape && shape->size() != tensor.shape().size()) shape.reset();
      for (size_t axis = 0; shape && axis < shape->size(); ++axis) {
        if ((*shape)[axis] != tensor.shape()[axis]) (*shape)[axis] = kDynamicDim;
      }
    }
  }
  for (auto& [name, info] : known) {
    if (info.shape) info.dim_names.resize(info.shape->size());
  }
  return known;
}

// What leads from what is alive to the wanted tensors, opened once.
class LiveRuns::Way {
 public:
  static Result<Way> Open(const LiveRuns& live, const Model& model, const std::set<std::string>& wanted) {
    Way way(live);
    const std::map<std::string, ValueInfo> known = live.Known();
    std::vector<std::string> computed;
    for (const std::string& tensor : wanted) (known.contains(tensor) ? way.at_hand_ : computed).push_back(tensor);
    if (computed.empty()) return way;
    PREON_ASSIGN_OR_RETURN(const Model segment, IntegerForm(Segment(model, known, computed)));
    way.feeds_ = segment.graph.inputs();
    PREON_ASSIGN_OR_RETURN(way.session_, Session::OpenModel(segment, {.threads = 1}, *live.context_));
    return way;
  }

  Status Go(const std::vector<size_t>& of_runs, const SeeRun& see) {
    std::vector<Status> done(of_runs.size(), Status::Ok());
    std::atomic<bool> stop = false;
    OnThreads(static_cast<size_t>(live_.context_->ThreadCount()))(of_runs.size(), [&](size_t task) {
      if (stop) return;
      done[task] = GoOne(of_runs[task], see);
      if (!done[task].ok()) stop = true;
    });
    for (const Status& status : done) PREON_RETURN_IF_ERROR(status);
    return Status::Ok();
  }

 private:
  explicit Way(const LiveRuns& live) : live_(live) {}

  Status GoOne(size_t run, const SeeRun& see) {
    const std::map<std::string, Tensor>& alive = live_.runs_[run];
    std::map<std::string, Tensor> seen;
    for (const std::string& tensor : at_hand_) seen.emplace(tensor, alive.at(tensor));
    std::vector<NamedTensor> fed;
    for (const std::string& feed : feeds_) fed.push_back({feed, alive.at(feed)});
    if (session_) {
      PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> outputs, session_->Run(fed, *live_.context_));
      for (NamedTensor& output : outputs) seen.emplace(output.name, std::move(output.tensor));
    }
    return see(run, seen);
  }

  const LiveRuns& live_;
  std::vector<std::string> at_hand_, feeds_;
  std::optional<Session> session_;
};

Status LiveRuns::Run(const Model& model, const std::set<std::string>& wanted, const std::vector<size_t>& of_runs,
                     const SeeRun& see) const {
  PREON_ASSIGN_OR_RETURN(Way way, Way::Open(*this, model, wanted));
  return way.Go(of_runs, see);
}

Status LiveRuns::GoOn(const Model& model, const std::set<std::string>& alive, size_t most_bytes) {
  return GoOn(model, alive, most_bytes, {}, {});
}

Status LiveRuns::GoOn(const Model& model, const std::set<std::string>& alive, size_t most_bytes,
                      const std::set<std::string>& wanted, const SeeRun& see) {
  std::set<std::string> computed = alive;
  computed.insert(wanted.begin(), wanted.end());
  PREON_ASSIGN_OR_RETURN(Way way, Way::Open(*this, model, computed));
  std::vector<std::map<std::string, Tensor>> next(runs_.size());
  bool stays = false;
  const SeeRun keep = [&](size_t run, const std::map<std::string, Tensor>& tensors) {
    for (const std::string& tensor : stays ? std::set<std::string>() : alive)
      next[run].emplace(tensor, tensors.at(tensor));
    return see ? see(run, tensors) : Status::Ok();
  };
  std::vector<size_t> others = AllRuns(runs_.size());
  others.erase(others.begin());
  PREON_RETURN_IF_ERROR(way.Go({0}, keep));
  stays = BytesOf(next[0]) * runs_.size() > most_bytes;
  if (stays && !see) return Status::Ok();
  PREON_RETURN_IF_ERROR(way.Go(others, keep));
  if (!stays) runs_ = std::move(next);
  return Status::Ok();
}

std::vector<size_t> AllRuns(size_t count) {
  std::vector<size_t> runs(count);
  std::iota(runs.begin(), runs.end(), size_t{0});
  return runs;
}

}  // namespace preon
