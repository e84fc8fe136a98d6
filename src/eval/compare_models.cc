#include "eval/compare_models.h"

#include <algorithm>
#include <cmath>

#include "eval/error_sums.h"
#include "eval/values.h"

namespace preon {
namespace {

// Rows of the last axis, for outputs whose last axis can be read as classes.
struct ClassRows {
  int64_t rows = 0, classes = 0;
  bool per_sample = false;  // [N, C]: a row is a sample
};

bool IsSignal(const Shape& output, const std::vector<NamedTensor>& feeds) {
  return std::ranges::any_of(feeds, [&](const NamedTensor& feed) {
    const Shape& shape = feed.tensor.shape();
    return IsFloatingType(feed.tensor.type()) && shape.size() == output.size() && shape.back() == output.back();
  });
}

bool IsPerToken(const Shape& output, const std::vector<NamedTensor>& feeds) {
  return std::ranges::any_of(feeds, [&](const NamedTensor& feed) {
    const Shape& shape = feed.tensor.shape();
    return !IsFloatingType(feed.tensor.type()) && shape.size() == 2 && shape[0] == output[0] && shape[1] == output[1];
  });
}

// Embeddings are normalized, and not all of their values are probabilities.
bool IsUnitVector(std::span<const double> row) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  return std::abs(squares - 1) < 1e-4 && std::ranges::min(row) < 0;
}

// What a run was given.
struct RunInfo {
  int64_t samples;
  bool labelled;
  const std::vector<NamedTensor>& feeds;
};

std::optional<ClassRows> AsClassRows(const Tensor& tensor, std::span<const double> values, const RunInfo& run) {
  const Shape& shape = tensor.shape();
  const bool per_sample = shape.size() == 2 && shape[0] == run.samples;
  if (!per_sample && (shape.size() != 3 || !IsPerToken(shape, run.feeds))) return std::nullopt;
  if (shape.back() < 2 || values.empty() || !IsFloatingType(tensor.type())) return std::nullopt;
  const bool other = IsSignal(shape, run.feeds) || IsUnitVector(values.first(static_cast<size_t>(shape.back())));
  if (other && !run.labelled) return std::nullopt;
  return ClassRows{tensor.count() / shape.back(), shape.back(), per_sample};
}

std::optional<Accuracy> Share(int64_t top1, int64_t top5, int64_t labelled) {
  if (labelled == 0) return std::nullopt;
  return Accuracy{static_cast<double>(top1) / labelled, static_cast<double>(top5) / labelled};
}

// Outputs may have a million values: sums in registers, and of each sample on its own. Gives how many of `b` alone are
// not finite.
int64_t AddErrors(std::span<const double> a, std::span<const double> b, OutputSums& sums, ComparedPart& part) {
  SampleSums sample;
  double max_abs = 0;
  int64_t not_finite = 0, float_not_finite = 0;
  for (size_t index = 0; index < a.size(); ++index) {
    const double exact = a[index], got = b[index], difference = exact - got;
    if (!std::isfinite(exact) || !std::isfinite(got)) [[unlikely]] {
      ++(std::isfinite(exact) ? not_finite : float_not_finite);
      continue;
    }
    sample.signal += exact * exact;
    sample.other += got * got;
    sample.dot += exact * got;
    sample.noise += difference * difference;
    max_abs = std::max(max_abs, std::abs(difference));
  }
  part.signal += sample.signal;
  part.noise += sample.noise;
  sums.all.signal += sample.signal;
  sums.all.other += sample.other;
  sums.all.dot += sample.dot;
  sums.all.noise += sample.noise;
  sums.per_sample.Add(sample);
  sums.max_abs = std::max(sums.max_abs, max_abs);
  sums.not_finite += not_finite;
  sums.float_not_finite += float_not_finite;
  sums.positions_seen += static_cast<int64_t>(a.size());
  return not_finite;
}

double LargestDifference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (size_t index = 0; index < a.size(); ++index) {
    const double difference = std::abs(a[index] - b[index]);
    if (std::isfinite(difference)) largest = std::max(largest, difference);
  }
  return largest;
}

void CountRight(bool first, bool second, PairedCounts& counts) {
  counts.both += first && second;
  counts.first_only += first && !second;
  counts.second_only += !first && second;
  counts.neither += !first && !second;
}

PairedCounts RightOf(const std::map<int64_t, PairedCounts>& by_class) {
  PairedCounts sum;
  for (const auto& [label, counts] : by_class) {
    sum.both += counts.both;
    sum.first_only += counts.first_only;
    sum.second_only += counts.second_only;
    sum.neither += counts.neither;
  }
  return sum;
}

void AddClasses(std::span<const double> a, std::span<const double> b, const ClassRows& rows,
                const std::optional<int64_t>& label, OutputSums& sums, ComparedPart& part) {
  const size_t classes = static_cast<size_t>(rows.classes);
  for (size_t from = 0; from < a.size(); from += classes) {
    const std::span<const double> row_a = a.subspan(from, classes), row_b = b.subspan(from, classes);
    const bool agreed = ArgMax(row_a) == ArgMax(row_b);
    ++part.positions;
    part.agreed += agreed;
    ++sums.positions;
    sums.agreed += agreed;
    if (!rows.per_sample || !label || *label < 0) continue;
    if (*label >= rows.classes) {
      ++sums.unknown_labels;
      continue;
    }
    ++sums.labelled;
    const int64_t ranks[2] = {RankOf(row_a, *label), RankOf(row_b, *label)};
    for (int model = 0; model < 2; ++model) {
      sums.top1[model] += ranks[model] < 1;
      sums.top5[model] += ranks[model] < 5;
    }
    CountRight(ranks[0] < 1, ranks[1] < 1, sums.by_class[*label]);
  }
}

Status CheckComparable(const std::string& output, DataType reference, DataType other) {
  if (reference == other || (HasNumbers(reference) && HasNumbers(other))) return Status::Ok();
  return Error(ErrorId::kVerifyOutput, "compare: output '", output, "' of the second model is of type ",
               DataTypeName(other), ", wanted ", DataTypeName(reference));
}

// Kernels add up in another order in another row of a batch: equal samples need not give equal bits.
constexpr double kRounding = 1e-5;

bool IsAnother(std::span<const double> first, std::span<const double> values) {
  double largest = 0;
  for (const double value : first) largest = std::max(largest, std::abs(value));
  return !std::ranges::equal(first, values,
                             [&](double a, double b) { return a == b || std::abs(a - b) <= kRounding * largest; });
}

void NoticeChange(int model, std::span<const double> values, OutputSums& sums) {
  if (sums.changes[model]) return;
  std::vector<double>& first = sums.first[model];
  if (first.empty()) {
    first.assign(values.begin(), values.end());
    return;
  }
  sums.changes[model] = IsAnother(first, values);
  if (sums.changes[model]) first = {};
}

}  // namespace

OutputComparison& OutputComparisons::operator[](const std::string& name) {
  const auto found = std::ranges::find(entries_, name, &std::pair<std::string, OutputComparison>::first);
  return found != entries_.end() ? found->second : entries_.emplace_back(name, OutputComparison{}).second;
}

const OutputComparison& OutputComparisons::at(const std::string& name) const {
  const auto found = std::ranges::find(entries_, name, &std::pair<std::string, OutputComparison>::first);
  PREON_CHECK(found != entries_.end());
  return found->second;
}

Status Comparer::Add(const std::vector<NamedTensor>& reference, const std::vector<NamedTensor>& other, int64_t samples,
                     const std::vector<std::optional<int64_t>>& labels, const std::vector<NamedTensor>& feeds,
                     const std::vector<std::string>& names) {
  if (outputs_.empty()) {
    for (const NamedTensor& output : reference) outputs_.emplace_back(output.name, OutputSums{});
  }
  std::vector<double> worst_db(static_cast<size_t>(samples), kExactSqnrDb);
  const RunInfo run{samples, std::ranges::any_of(labels, [](const auto& label) { return label.has_value(); }), feeds};
  for (auto& [name, sums] : outputs_) {
    const auto found_b = std::ranges::find(other, name, &NamedTensor::name);
    if (found_b == other.end())
      return Error(ErrorId::kNameNotInModel, "compare: the second model has no output '", name, "'");
    const Tensor& tensor_a = std::ranges::find(reference, name, &NamedTensor::name)->tensor;
    const Tensor& tensor_b = found_b->tensor;
    PREON_RETURN_IF_ERROR(CheckComparable(name, tensor_a.type(), tensor_b.type()));
    ++sums.runs;
    sums.integers = !IsFloatingType(tensor_a.type());
    if (tensor_a.shape() != tensor_b.shape()) {
      ++sums.shape_differs;
      continue;
    }
    const auto [a, b] = ComparedValues(tensor_a, tensor_b);
    if (sums.integers) sums.values += static_cast<int64_t>(a.size());
    for (size_t index = 0; sums.integers && index < a.size(); ++index) sums.equal += a[index] == b[index];
    const std::optional<ClassRows> rows = AsClassRows(tensor_a, a, run);
    const Shape& shape = tensor_a.shape();
    const size_t parts = !shape.empty() && shape[0] == samples && samples > 0 ? static_cast<size_t>(samples) : 1;
    const size_t size = a.size() / parts;
    const ScoreChannels* scores = rows || sums.integers ? nullptr : sums.scores.Of(tensor_a);
    sums.ranked = scores != nullptr && scores->ranked();
    if (sums.ranked) sums.max_abs = std::max(sums.max_abs, LargestDifference(a, b));
    // What errors are measured in; all else is of the values as they are.
    const std::vector<double> weighed_a = sums.ranked ? scores->Weighed(a, a) : std::vector<double>();
    const std::vector<double> weighed_b = sums.ranked ? scores->Weighed(b, a) : std::vector<double>();
    const std::span<const double> counted_a = sums.ranked ? weighed_a : a, counted_b = sums.ranked ? weighed_b : b;
    if (scores != nullptr) scores->Add<double>(counted_a, counted_b, sums.score_signal, sums.score_noise);
    for (size_t sample = 0; sample < parts; ++sample) {
      const std::span<const double> of_a = std::span(a).subspan(sample * size, size),
                                    of_b = std::span(b).subspan(sample * size, size);
      ComparedPart& part = sums.parts.Next();
      const ComparedPart before = part;  // of neighbours that share the part
      const int64_t not_finite =
          AddErrors(counted_a.subspan(sample * size, size), counted_b.subspan(sample * size, size), sums, part);
      const double db =
          not_finite > 0 ? -kExactSqnrDb : Decibel(part.signal - before.signal, part.noise - before.noise);
      if (sample < worst_db.size()) worst_db[sample] = std::min(worst_db[sample], db);
      sums.at_ends[0].Add(of_a);
      sums.at_ends[1].Add(of_b);
      NoticeChange(0, of_a, sums);
      NoticeChange(1, of_b, sums);
      if (rows) AddClasses(of_a, of_b, *rows, sample < labels.size() ? labels[sample] : std::nullopt, sums, part);
    }
  }
  for (size_t sample = 0; sample < worst_db.size(); ++sample) {
    changed_.Add({.name = sample < names.size() ? names[sample] : "",
                  .index = samples_ + static_cast<int64_t>(sample),
                  .sqnr_db = worst_db[sample]});
  }
  samples_ += samples;
  return Status::Ok();
}

Comparison Comparer::Finish() const {
  Comparison result;
  result.samples = samples_;
  result.most_changed = changed_.samples();
  const OutputComparison* best = nullptr;
  const OutputSums* sums_of_best = nullptr;
  const bool any_labelled =
      std::ranges::any_of(outputs_, [](const auto& output) { return output.second.labelled > 0; });
  for (const auto& [name, sums] : outputs_) {
    OutputComparison& output = result.outputs[name];
    output.sqnr_db = Decibel(sums.all.signal, sums.all.noise);
    output.ranked = sums.ranked;
    if (sums.values > 0) output.equal_share = static_cast<double>(sums.equal) / static_cast<double>(sums.values);
    if (sums.score_signal > 0) output.scores_sqnr_db = Decibel(sums.score_signal, sums.score_noise);
    output.cosine = CosineOf(sums.all);
    output.l2 = std::sqrt(sums.all.noise);
    output.per_sample = sums.per_sample.Figures();
    output.max_abs = sums.max_abs;
    output.not_finite = sums.not_finite;
    output.shape_differs = sums.shape_differs;
    output.float_not_finite = sums.float_not_finite;
    output.unknown_labels = sums.labelled > 0 || !any_labelled ? sums.unknown_labels : 0;
    output.left_out = IsLeftOut(sums.runs, sums.shape_differs, sums.integers) ||
                      (sums.float_not_finite > 0 && sums.float_not_finite == sums.positions_seen);
    if (sums.positions > 0) output.argmax_agreement = static_cast<double>(sums.agreed) / sums.positions;
    output.reference_accuracy = Share(sums.top1[0], sums.top5[0], sums.labelled);
    output.other_accuracy = Share(sums.top1[1], sums.top5[1], sums.labelled);
    output.constant = sums.changes[0] && !sums.changes[1];
    if (!output.constant && !sums.integers) output.saturated_share = SaturatedShare(sums.at_ends[0], sums.at_ends[1]);
    if (!output.left_out) {
      output.parts = sums.parts;
      if (sums.all.noise > 0) output.sqnr_interval = sums.parts.OfSqnr();
      if (sums.positions > 0) output.agreement_interval = sums.parts.OfAgreement(sums.agreed, sums.positions);
      if (sums.labelled > 0) output.drop_interval = DifferenceInterval(RightOf(sums.by_class));
    }
    if (!output.argmax_agreement) continue;
    const auto right = [](const OutputComparison& o) { return o.reference_accuracy ? o.reference_accuracy->top1 : -1; };
    if (best == nullptr || right(output) > right(*best)) {
      best = &output;
      sums_of_best = &sums;
      result.class_output = name;
    }
  }
  if (best != nullptr) {
    result.argmax_agreement = best->argmax_agreement;
    result.reference_accuracy = best->reference_accuracy;
    result.other_accuracy = best->other_accuracy;
    result.agreement_interval = best->agreement_interval;
    result.drop_interval = best->drop_interval;
    result.by_class = sums_of_best->by_class;
  }
  return result;
}

}  // namespace preon
