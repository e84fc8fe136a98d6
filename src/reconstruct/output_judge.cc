#include "reconstruct/output_judge.h"

#include <cmath>
#include <limits>

#include "eval/values.h"
#include "reconstruct/layer_data.h"

namespace preon {
namespace {

struct Squares {
  double error = 0, signal = 0;
  double score_error = 0, score_signal = 0;  // of scores beside coordinates, which count as an output of their own
};

Squares Compare(const Tensor& expected, const Tensor& got, const ScoreChannels* scores) {
  Squares squares;
  if (got.shape() != expected.shape()) return {.error = std::numeric_limits<double>::infinity(), .signal = 1};
  for (int64_t i = 0; i < expected.count(); ++i) {
    const auto at = static_cast<size_t>(i);
    const double wanted = double{expected.floats()[at]}, other = double{got.floats()[at]};
    if (!std::isfinite(wanted)) continue;
    squares.signal += wanted * wanted;
    squares.error += (wanted - other) * (wanted - other);
  }
  if (scores != nullptr) scores->Add(ToDoubles(expected), ToDoubles(got), squares.score_signal, squares.score_error);
  return squares;
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
    if (counts && reference.graph.TypeOf(names[index]) == DataType::kFloat) judge.outputs_.insert(names[index]);
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
  std::vector<std::map<std::string, Squares>> by_run(live.runs());
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
    Squares total;
    for (const size_t run : runs_) {
      const Squares& squares = by_run[run][output];
      total.error += squares.error;
      total.signal += squares.signal;
      total.score_error += squares.score_error;
      total.score_signal += squares.score_signal;
    }
    if (total.signal > 0) error += total.error / total.signal;
    if (total.score_signal > 0) {
      error += total.score_error / total.score_signal;
      ++counted;
    }
  }
  return std::isnan(error) ? std::numeric_limits<double>::infinity()
                           : error / static_cast<double>(std::max<size_t>(counted, 1));
}

}  // namespace preon
