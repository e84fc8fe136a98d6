// Metric: what a model gets right, against labels, the samples themselves or the outputs that it should give.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/data_source.h"
#include "eval/metrics/metric_unit.h"

namespace preon {

/// One model's, over a stream.
class MetricRun {
 public:
  virtual ~MetricRun() = default;
  /// Batches in the order of the stream. Errors: kMissingOption where the samples have not what the metric needs.
  virtual Status Add(const Batch& batch, const std::vector<NamedTensor>& outputs) = 0;
  /// Independent samples so far.
  virtual size_t count() const = 0;
  /// Of these samples, some of them several times; at least one.
  virtual double Value(std::span<const size_t> samples) const = 0;
};

class Metric {
 public:
  virtual ~Metric() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  std::vector<std::string_view> aliases() const { return {}; }
  virtual MetricUnit unit() const = 0;
  virtual bool higher_is_better() const { return true; }
  /// What --reference has for this first output of a model: by default the same.
  virtual TensorSpec Reference(const TensorSpec& output) const { return output; }
  /// What the float model's outputs tell of a batch, in the form of --reference, for where there is none; empty where
  /// the metric can't do without. Errors: kMissingOption where the outputs have not the form that the metric needs.
  virtual Result<std::vector<NamedTensor>> ReferenceOf(const Batch& batch,
                                                       const std::vector<NamedTensor>& outputs) const;
  virtual std::unique_ptr<MetricRun> Begin() const = 0;
};

using MetricRegistry = Registry<Metric>;

/// Of all samples.
double ValueOf(const MetricRun& run);

}  // namespace preon
