// Compares two models on a stream of samples: per-output error, agreement of the top class, accuracy where labelled.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/data_source.h"
#include "eval/compared_parts.h"
#include "eval/interval.h"
#include "eval/most_changed.h"
#include "eval/per_sample.h"
#include "eval/score_channels.h"
#include "eval/values_at_ends.h"

namespace preon {

/// Share of labelled samples whose class is the first, or among the first five, 0…1.
struct Accuracy {
  double top1 = 0, top5 = 0;
};

/// One output over all samples.
struct OutputComparison {
  double sqnr_db = kExactSqnrDb;         ///< 10·log10(Σ a² / Σ (a - b)²), limited to ±kExactSqnrDb
  bool ranked = false;                   ///< boxes that a detector has sorted by score: each row counts times its score
  std::optional<double> scores_sqnr_db;  ///< of the scores alone, where they stand beside coordinates (ScoreChannels)
  std::optional<double> equal_share;  ///< of the values; only of integers, booleans and texts, whose SQNR says little
  double cosine = 1;
  double l2 = 0;  ///< sqrt(Σ (a - b)²)
  double max_abs = 0;
  std::optional<PerSample> per_sample;  ///< of runs, where the first axis does not count the samples
  int64_t not_finite = 0;               ///< positions where the reference is finite and the other is not
  int64_t float_not_finite = 0;         ///< positions where the reference is NaN or infinite; not in the figures above
  int64_t unknown_labels = 0;           ///< labels beyond its classes, which are not in the accuracy
  int64_t shape_differs = 0;            ///< runs whose shapes differ (data-dependent outputs); not in the figures above
  /// Nothing above but shape_differs and float_not_finite means anything: no run has the same shape, no value is finite
  /// in the reference, or it holds indices of what differs.
  bool left_out = false;
  /// Share of positions with the same top class along the last axis; only for outputs of classes.
  std::optional<double> argmax_agreement;
  std::optional<Accuracy> reference_accuracy, other_accuracy;  ///< only for [N, C] with labels
  /// At 95 %, of two samples or more: where other samples would put the figures.
  std::optional<ConfidenceInterval> sqnr_interval, agreement_interval;
  ComparedParts parts;                              ///< what the two are computed from
  std::optional<ConfidenceInterval> drop_interval;  ///< of top-1 accuracy, the first model's less the other one's
  bool constant = false;       ///< the other model gives the same for all samples, and the first does not
  double saturated_share = 0;  ///< SaturatedShare of both models' values
};

/// By name, in the model's order: that in which they were added.
class OutputComparisons {
 public:
  /// The output's, added behind the others where it is new.
  OutputComparison& operator[](const std::string& name);
  /// Of an output that is there.
  const OutputComparison& at(const std::string& name) const;
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::deque<std::pair<std::string, OutputComparison>> entries_;  // references stay valid
};

struct Comparison {
  int64_t samples = 0;
  OutputComparisons outputs;
  /// Output that the three figures below come from: with labels the one on which the reference is most often right,
  /// else the first with a top class; empty when no output has one.
  std::string class_output;
  std::optional<double> argmax_agreement;
  std::optional<Accuracy> reference_accuracy, other_accuracy;
  std::optional<ConfidenceInterval> agreement_interval, drop_interval;
  std::map<int64_t, PairedCounts> by_class;  ///< top-1 of both models, by label
  std::vector<ChangedSample> most_changed;   ///< the largest change first
};

/// A class that the other model gets right less often.
struct ClassDrop {
  int64_t label = 0;
  PairedCounts counts;
};
/// The five that lose most, by share, of those that lose two samples or more.
std::vector<ClassDrop> WorstClasses(const std::map<int64_t, PairedCounts>& by_class);

/// All outputs of both models are the same, bit for bit.
bool SameOutputs(const Comparison& comparison);

/// The output that is farthest from that of the first model, of those that are compared; null: there is none.
const OutputComparison* WorstOutput(const Comparison& comparison);
/// Its SQNR in dB; kExactSqnrDb where there is none.
double WorstSqnrDb(const Comparison& comparison);

/// What one output's figures are computed from; both models' counts where there are two.
struct OutputSums {
  ComparedParts parts;
  std::map<int64_t, PairedCounts> by_class;  ///< top-1 of both models, by label
  std::vector<double> first[2];              ///< values of the first sample, of each model; let go of once they change
  bool changes[2] = {false, false};
  ValuesAtEnds at_ends[2];
  SampleSums all;  ///< over all samples
  PerSampleFigures per_sample;
  double max_abs = 0;
  int64_t not_finite = 0, float_not_finite = 0, positions_seen = 0, shape_differs = 0, runs = 0;
  bool integers = false;
  int64_t values = 0, equal = 0;  // of integers
  OutputScores scores;
  bool ranked = false;  // of the last run
  double score_signal = 0, score_noise = 0;
  int64_t positions = 0, agreed = 0;
  int64_t labelled = 0, unknown_labels = 0, top1[2] = {0, 0}, top5[2] = {0, 0};
};

/// Accumulates a comparison batch by batch. Memory has a bound, whatever the number of samples.
class Comparer {
 public:
  /// Adds the outputs of one run of both models over the same feeds. `labels`: one per sample, or empty. An output is
  /// one of classes if it has a row for each sample, or for each element of integer feeds (tokens), and the row is not
  /// as long as one of float feeds (a signal) nor of length 1 (an embedding), unless there are labels.
  /// `names`: one per sample, or empty.
  /// Errors: kNameNotInModel when `other` lacks an output of the reference, kVerifyOutput when it has texts there and
  /// the reference numbers, or the other way round.
  Status Add(const std::vector<NamedTensor>& reference, const std::vector<NamedTensor>& other, int64_t samples,
             const std::vector<std::optional<int64_t>>& labels, const std::vector<NamedTensor>& feeds = {},
             const std::vector<std::string>& names = {});
  Comparison Finish() const;

 private:
  std::vector<std::pair<std::string, OutputSums>> outputs_;  // in the model's order
  MostChanged changed_;
  int64_t samples_ = 0;
};

/// Replaces what was measured by what `unseen` has, a comparison by other models on the same samples; whether an output
/// is constant or saturated stays: that is of one model.
void TakeFigures(Comparison unseen, Comparison& comparison);

/// Widens the intervals of SQNR by how much errors differ from sample to sample in `seen`, a comparison over samples
/// that the model was made with (ComparedParts::OfSqnr).
void WidenIntervals(const Comparison& seen, Comparison& comparison);

/// One for each output that was not compared in every run.
std::vector<std::string> WarningsOf(const Comparison& comparison);

}  // namespace preon
