// Mean average precision of boxes.
// Source: the evaluation of COCO (cocodataset.org/#detection-eval): IoU of 0.50 to 0.95, precision at 101 recalls.
#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "eval/metrics/detected_boxes.h"
#include "eval/metrics/metrics.h"
#include "eval/values.h"

namespace preon {
namespace {

constexpr size_t kReferenceWidth = 5;  // x1, y1, x2, y2, class
constexpr size_t kOverlaps = 10;       // least IoU of a hit: 0.50, 0.55, ..., 0.95
constexpr size_t kMostBoxes = 100;     // of a sample, by score
constexpr int kRecalls = 101;
constexpr double kFound = 0.3;  // score of a box that the float model finds for sure

// A box of the model and at which overlaps it hits one that is there.
struct Answer {
  double score = 0;
  std::array<bool, kOverlaps> hits{};
};

struct ClassAnswers {
  std::vector<Answer> answers;
  int64_t boxes = 0;  // that are there
};

// Best score first; each box that is there is hit once, by the answer that covers it best.
ClassAnswers Match(std::vector<Box> found, const std::vector<Box>& there) {
  std::ranges::stable_sort(found, std::greater(), &Box::score);
  ClassAnswers result{.boxes = std::ssize(there)};
  std::array<std::vector<bool>, kOverlaps> taken;
  for (std::vector<bool>& each : taken) each.resize(there.size());
  for (const Box& box : found) {
    Answer& answer = result.answers.emplace_back(Answer{.score = box.score});
    std::vector<double> overlaps;
    for (const Box& other : there) overlaps.push_back(Overlap(box.corners, other.corners));
    for (size_t step = 0; step < kOverlaps; ++step) {
      double best = 0.5 + 0.05 * static_cast<double>(step) - 1e-10;
      size_t hit = there.size();
      for (size_t i = 0; i < there.size(); ++i) {
        if (taken[step][i] || overlaps[i] < best) continue;
        best = overlaps[i];
        hit = i;
      }
      if (hit == there.size()) continue;
      taken[step][hit] = true;
      answer.hits[step] = true;
    }
  }
  return result;
}

// Mean over recalls of the largest precision that is had at this recall or a larger one.
double AveragePrecision(const std::vector<const Answer*>& answers, size_t step, int64_t boxes) {
  std::vector<double> precision, recall;
  double hits = 0;
  for (const Answer* answer : answers) {
    hits += answer->hits[step] ? 1 : 0;
    precision.push_back(hits / static_cast<double>(precision.size() + 1));
    recall.push_back(hits / static_cast<double>(boxes));
  }
  for (size_t i = precision.size(); i-- > 1;) precision[i - 1] = std::max(precision[i - 1], precision[i]);
  double sum = 0;
  for (int i = 0; i < kRecalls; ++i) {
    const auto place = std::ranges::lower_bound(recall, 0.01 * i);
    if (place != recall.end()) sum += precision[static_cast<size_t>(place - recall.begin())];
  }
  return sum / kRecalls;
}

class MapRun final : public MetricRun {
 public:
  Status Add(const Batch& batch, const std::vector<NamedTensor>& outputs) override {
    if (batch.expected.empty())
      return Error(
          ErrorId::kMissingOption,
          "--metric map: needs --reference SRC: [samples, boxes, 5] of x1, y1, x2, y2, class; class -1 fills up");
    const Tensor& reference = batch.expected.front().tensor;
    PREON_RETURN_IF_ERROR(CheckReference(reference.shape(), batch.samples));
    PREON_ASSIGN_OR_RETURN(std::vector<std::vector<Box>> found, DetectedBoxes(batch, outputs));
    const std::vector<double> there = ToDoubles(reference);
    for (int64_t sample = 0; sample < batch.samples; ++sample) {
      std::map<int64_t, std::pair<std::vector<Box>, std::vector<Box>>> by_class;
      std::vector<Box>& best = found[static_cast<size_t>(sample)];
      if (best.size() > kMostBoxes) best.resize(kMostBoxes);
      for (const Box& box : best) by_class[box.label].first.push_back(box);
      for (const Box& box : BoxesOf(there, static_cast<size_t>(reference.shape()[1]), sample))
        by_class[box.label].second.push_back(box);
      std::map<int64_t, ClassAnswers>& answers = samples_.emplace_back();
      for (auto& [label, boxes] : by_class) answers[label] = Match(std::move(boxes.first), boxes.second);
    }
    return Status::Ok();
  }
  size_t count() const override { return samples_.size(); }

  // Mean over the classes that occur and over the overlaps.
  double Value(std::span<const size_t> samples) const override {
    struct AllOfClass {
      std::vector<const Answer*> answers;
      int64_t boxes = 0;
    };
    std::map<int64_t, AllOfClass> classes;
    for (const size_t sample : samples) {
      for (const auto& [label, one] : samples_[sample]) {
        AllOfClass& all = classes[label];
        all.boxes += one.boxes;
        for (const Answer& answer : one.answers) all.answers.push_back(&answer);
      }
    }
    double sum = 0, terms = 0;
    for (auto& [label, all] : classes) {
      if (all.boxes == 0) continue;
      std::ranges::stable_sort(all.answers, std::greater(), [](const Answer* answer) { return answer->score; });
      for (size_t step = 0; step < kOverlaps; ++step) sum += AveragePrecision(all.answers, step, all.boxes);
      terms += kOverlaps;
    }
    return terms > 0 ? sum / terms : 0;
  }

 private:
  static Status CheckReference(const Shape& shape, int64_t samples) {
    const bool fits = shape.size() == 3 && shape[0] == samples && shape[2] == static_cast<int64_t>(kReferenceWidth);
    if (fits) return Status::Ok();
    return Error(ErrorId::kMissingOption, "--metric map: --reference has shape ", ShapeToString(shape), ", wanted [",
                 samples, ", boxes, ", kReferenceWidth, "]: x1, y1, x2, y2, class");
  }

  static std::vector<Box> BoxesOf(const std::vector<double>& values, size_t count, int64_t sample) {
    std::vector<Box> boxes;
    for (size_t i = 0; i < count; ++i) {
      const double* row = values.data() + (static_cast<size_t>(sample) * count + i) * kReferenceWidth;
      const auto label = static_cast<int64_t>(row[kReferenceWidth - 1]);
      if (label >= 0) boxes.push_back({.corners = {row[0], row[1], row[2], row[3]}, .label = label});
    }
    return boxes;
  }

  std::vector<std::map<int64_t, ClassAnswers>> samples_;
};

class MapMetric final : public Metric {
 public:
  std::string_view name() const override { return "map"; }
  std::string_view summary() const override {
    return "mean average precision (COCO) of a detector's boxes against --reference, or against those that the float "
           "model finds";
  }
  MetricUnit unit() const override { return MetricUnit::kShare; }
  TensorSpec Reference(const TensorSpec& output) const override {
    return {output.name, DataType::kFloat, {kDynamicDim, kDynamicDim, static_cast<int64_t>(kReferenceWidth)}};
  }
  // Boxes with a score of 0.3 or more.
  Result<std::vector<NamedTensor>> ReferenceOf(const Batch& batch,
                                               const std::vector<NamedTensor>& outputs) const override {
    PREON_ASSIGN_OR_RETURN(std::vector<std::vector<Box>> samples, DetectedBoxes(batch, outputs));
    size_t most = 1;
    for (std::vector<Box>& boxes : samples) {
      std::erase_if(boxes, [](const Box& box) { return box.score < kFound; });
      if (boxes.size() > kMostBoxes) boxes.resize(kMostBoxes);
      most = std::max(most, boxes.size());
    }
    std::vector<float> rows(samples.size() * most * kReferenceWidth, -1);  // class -1 fills up
    for (size_t sample = 0; sample < samples.size(); ++sample) {
      float* row = rows.data() + sample * most * kReferenceWidth;
      for (const Box& box : samples[sample]) {
        row = std::ranges::transform(box.corners, row, [](double at) { return static_cast<float>(at); }).out;
        *row++ = static_cast<float>(box.label);
      }
    }
    const Shape shape = {batch.samples, static_cast<int64_t>(most), static_cast<int64_t>(kReferenceWidth)};
    return std::vector<NamedTensor>{{"boxes", Tensor::FromFloats(shape, rows)}};
  }
  std::unique_ptr<MetricRun> Begin() const override { return std::make_unique<MapRun>(); }
};

}  // namespace

std::unique_ptr<Metric> MakeMapMetric() { return std::make_unique<MapMetric>(); }

}  // namespace preon
