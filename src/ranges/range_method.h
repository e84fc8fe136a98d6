// RangeMethod: the rule from a tensor's sketch to the interval that its codes cover. One file per method.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "formats/int_format.h"
#include "formats/scale_type.h"
#include "ranges/method_options.h"
#include "ranges/range_collector.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// What a method is asked for.
struct RangeQuery {
  IntFormat format;  ///< the tensor's own type and symmetry
  ScaleType scale_type = ScaleType::kFloat32;
  bool operator==(const RangeQuery&) const = default;
};

/// Pure: no model, no runtime, no state that changes. Thread-safe.
class RangeMethod {
 public:
  virtual ~RangeMethod() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<std::string_view> aliases() const { return {}; }
  virtual std::string_view summary() const = 0;
  /// Names of the options this method reads, each with default and meaning ("Percentile=99.999: share in percent
  /// kept").
  virtual std::vector<std::string_view> option_help() const { return {}; }
  /// A copy with options applied: the method's own, and those that every method has (kGraphAware).
  /// Errors: kUnknownOption, kBadOptionValue.
  Result<std::unique_ptr<RangeMethod>> WithOptions(const MethodOptions& options) const;
  /// Does ChooseRange (refine/choose_range.h) also use what the graph knows about the tensor?
  bool graph_aware() const { return graph_aware_.value_or(graph_aware_by_default()); }
  /// The range: contains 0, finite; inside [min, max] widened by 0 unless the method documents otherwise.
  /// Errors: kRangeMissing for an empty sketch, kRangeNotFinite.
  /// A method that collects has no answer from a sketch: kConflictingOptions.
  virtual Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const = 0;
  /// Do the options that were applied mean something for activations of this type? Errors: kConflictingOptions.
  virtual Status CheckType(DataType /*activation*/) const { return Status::Ok(); }
  /// True: a tensor's range comes from its values in the order of the data, which Collect makes a collector for.
  virtual bool collects() const { return false; }
  /// True: statistics count every value, also of large tensors.
  virtual bool wants_every_value() const { return false; }
  /// Only if collects(). Errors: kConflictingOptions for a query that the method has no answer to.
  virtual Result<std::unique_ptr<RangeCollector>> Collect(const RangeQuery& query) const;

 private:
  virtual Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const = 0;
  virtual bool graph_aware_by_default() const { return false; }

  std::optional<bool> graph_aware_;
};

/// The option that every method has: true or false.
inline constexpr std::string_view kGraphAware = "GraphAware";
inline constexpr std::string_view kGraphAwareHelp =
    "GraphAware=true for auto, false for others: outputs keep their whole range, and tensors in front of SiLU, "
    "Sigmoid, "
    "Tanh, HardSwish and GELU get narrower ranges";

/// For methods that count codes. Errors: kConflictingOptions for a floating format, whose codes are not evenly apart.
Status NeedsIntegerCodes(std::string_view method, const RangeQuery& query);

/// What a method that collects says where there are statistics and no data.
Status NeedsValues(std::string_view method);

using RangeMethodRegistry = Registry<RangeMethod>;

}  // namespace preon
