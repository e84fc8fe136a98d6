#include "eval/metrics/mean_metric.h"

#include "eval/values.h"

namespace preon {

Status MeanRun::Add(const Batch& batch, const std::vector<NamedTensor>& outputs) {
  PREON_ASSIGN_OR_RETURN(const std::vector<SampleScore> scores, score_(batch, outputs));
  scores_.insert(scores_.end(), scores.begin(), scores.end());
  return Status::Ok();
}

double MeanRun::Value(std::span<const size_t> samples) const {
  double sum = 0, weight = 0;
  for (const size_t sample : samples) {
    sum += scores_[sample].sum;
    weight += scores_[sample].weight;
  }
  return weight > 0 ? sum / weight : 0;
}

Result<ClassScoresOf> FindClassScores(std::string_view metric, const Batch& batch,
                                      const std::vector<NamedTensor>& outputs) {
  for (const NamedTensor& output : outputs) {
    const Shape& shape = output.tensor.shape();
    if (shape.size() != 2 || shape[0] != batch.samples || shape[1] < 2 || !IsFloatingType(output.tensor.type()))
      continue;
    return ClassScoresOf{ToDoubles(output.tensor), static_cast<size_t>(shape[1])};
  }
  return Error(ErrorId::kMissingOption, "--metric ", metric, ": needs an output [N, classes]; the model has none");
}

Result<std::vector<int64_t>> FindLabels(std::string_view metric, const Batch& batch, size_t classes) {
  std::vector<int64_t> labels;
  for (int64_t sample = 0; sample < batch.samples; ++sample) {
    const auto at = static_cast<size_t>(sample);
    const std::optional<int64_t> label = at < batch.labels.size() ? batch.labels[at] : std::nullopt;
    if (!label)
      return Error(ErrorId::kMissingOption, "--metric ", metric, ": ", batch.names[at],
                   " has no label; wanted --labels or an array 'label' in the data");
    if (*label < 0 || *label >= static_cast<int64_t>(classes))
      return Error(ErrorId::kMissingOption, "--metric ", metric, ": ", batch.names[at], " has label ", *label,
                   "; the model has classes 0 to ", classes - 1);
    labels.push_back(*label);
  }
  return labels;
}

Result<std::vector<SampleScore>> ScoreAgainstExpected(std::string_view metric, const Batch& batch,
                                                      const std::vector<NamedTensor>& outputs,
                                                      double (*score)(std::span<const double> wanted,
                                                                      std::span<const double> got)) {
  if (batch.expected.empty())
    return Error(ErrorId::kMissingOption, "--metric ", metric,
                 ": needs --reference SRC: what the first output should be");
  const Tensor& wanted = batch.expected.front().tensor;
  const std::vector<double> want = ToDoubles(wanted), got = ToDoubles(outputs.front().tensor);
  if (want.size() != got.size())
    return Error(ErrorId::kDataShape, "--reference: ", batch.names.front(), ": shape ", ShapeToString(wanted.shape()),
                 ", wanted ", ShapeToString(outputs.front().tensor.shape()), ", as the output '", outputs.front().name,
                 "' has");
  const auto samples = static_cast<size_t>(batch.samples);
  const size_t parts = got.size() % samples == 0 ? samples : 1, size = got.size() / parts;
  std::vector<SampleScore> scores;
  for (size_t part = 0; part < parts; ++part)
    scores.push_back({score(std::span(want).subspan(part * size, size), std::span(got).subspan(part * size, size))});
  return scores;
}

}  // namespace preon
