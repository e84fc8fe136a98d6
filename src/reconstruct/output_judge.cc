#include "reconstruct/output_judge.h"

#include <limits>

#include "eval/error_sums.h"
#include "eval/values.h"
#include "reconstruct/layer_data.h"

namespace preon {
namespace {

ErrorSums Compare(const Tensor& expected, const Tensor& got, const ScoreChannels* scores) {
  if (got.shape() != expected.shape()) return {.not_finite = 1};
  return ErrorSumsOf(expected, got, scores);
}

}  // namespace

Result<OutputJudge> OutputJudge::Make(const Model& reference, std::optional<int64_t> output, const LiveRuns& live) {
  OutputJudge judge;
  const std::vector<std::string>& names = reference.graph.outputs();
  if (output && *output >= static_cast<int64_t>(names.size()))
    return preon::Error(ErrorId::kNameNotInModel, "output-index: ", *output, ": the model has ", names.size(),
                        " outputs");
  for (size_t index = 0; index < names.size(); ++index) {
    const bool counts = !output || *output == static_cast<int64_t>(index);
    if (counts && IsFloatingType(reference.graph.TypeOf(names[index]))) judge.outputs_.insert(names[index]);
  }
  for (const size_t run : AllRuns(live.runs())) {
    if (live.Judges(run)) judge.runs_.push_back(run);
  }
  judge.expected_.resize(live.runs());
  PREON_RETURN_IF_ERROR(
      live.Run(reference, judge.outputs_, judge.runs_, [&](size_t run, const std::map<std::string, Tensor>& outputs) {
        for (const auto& [name, tensor] : outputs)
          judge.expected_[run][name] = {tensor, ScoreChannels::Find(ToDoubles(tensor), tensor.shape())};
        return Status::Ok();
      }));
  return judge;
}

Result<double> OutputJudge::Error(const Model& quantized, const LiveRuns& live) const {
  std::vector<std::map<std::string, ErrorSums>> by_run(live.runs());
  PREON_RETURN_IF_ERROR(
      live.Run(quantized, outputs_, runs_, [&](size_t run, const std::map<std::string, Tensor>& outputs) {
        for (const auto& [name, tensor] : outputs) {
          const auto& [expected, scores] = expected_[run].at(name);
          by_run[run][name] = Compare(expected, tensor, scores ? &*scores : nullptr);
        }
        return Status::Ok();
      }));
  double error = 0;
  size_t counted = outputs_.size();
  for (const std::string& output : outputs_) {
    ErrorSums total;
    for (const size_t run : runs_) total.Add(by_run[run][output]);
    if (total.not_finite > 0) return std::numeric_limits<double>::infinity();
    if (total.signal > 0) error += total.noise / total.signal;
    if (total.score_signal > 0) {
      error += total.score_noise / total.score_signal;
      ++counted;
    }
  }
  return error / static_cast<double>(std::max<size_t>(counted, 1));
}

}  // namespace preon
