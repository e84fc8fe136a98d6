// What a user sets for single tensors, or for tensors by their role in some nodes.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/int_format.h"
#include "formats/scale_type.h"
#include "formats/tensor_type.h"
#include "quantize/plan/op_list_options.h"
#include "quantize/plan/range_bounds.h"

namespace preon {

/// A second pair of another type for some readers of a tensor ("precision border", docs/design/op-list-targets.md).
struct ConvertOverride {
  TensorType type = DataType::kUInt8;
  std::set<std::string> nodes;          ///< readers, by name; empty = all
  std::optional<bool> symmetric;        ///< default: as the tensor
  std::optional<ScaleType> scale_type;  ///< default: the tensor's
  RangeBounds range;
  std::optional<QuantParams> params;
};

/// Settings of one tensor that go over the defaults.
struct TensorOverride {
  std::optional<TensorType> type;
  std::optional<bool> symmetric;
  std::optional<ScaleType> scale_type;
  std::optional<std::string> method;  ///< range method of an activation, weight method (minmax, minmse) of a constant
  RangeBounds range;                  ///< rmin, rmax
  std::optional<QuantParams> params;  ///< scale and zero_point
  // Of constants alone:
  std::optional<bool> per_channel;    ///< along the axis that the operator tells
  std::optional<int> axis;            ///< channels along it have scales of their own
  std::optional<int64_t> block_size;  ///< 0 = no blocks; without `axis` along what the operator sums over
  std::optional<bool> reduce_range;
  int64_t channels = 0;                     ///< with `axis`: entries for single channels; 0 and 1 = one for all
  std::vector<Range> channel_ranges;        ///< with `axis`: one per channel
  std::vector<QuantParams> channel_params;  ///< with `axis`: one per channel
  // Of activations alone:
  std::vector<ConvertOverride> converts;

  /// Does the tensor get parameters of its own by it?
  bool SetsParams() const { return type || symmetric || scale_type || range || params; }
};

/// Settings of the tensors of some nodes, by the role that a tensor has there.
struct LayerOverride {
  NodeSelectors selectors;  ///< without any: all nodes
  std::optional<TensorOverride> input, weight, bias, output;
};

}  // namespace preon
