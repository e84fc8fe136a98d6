// What rounding costs where channels between layers have factors.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "algorithms/channel_groups.h"
#include "calib/collected_statistics.h"
#include "ir/graph.h"
#include "quantize/params/plan_params.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// The error to be expected behind the layers that read scaled channels, as a share of what they give. Two kinds: that
/// of activations, whose codes keep their range, so that a channel times f has 1/f² of it; and that of the weights,
/// which have a scale per output and read channels of f² times the mean square. Errors of activations add up along
/// residual blocks; averages over places leave none. Channels count as independent of each other.
class ChannelError {
 public:
  ChannelError(const Graph& graph, const QuantPlan& plan, const PlanParams& params, const ChannelGroups& groups,
               const std::map<std::string, ChannelExtremes>& extremes);

  /// Those that layers read.
  std::set<size_t> sets() const;
  /// Does a layer read the set whose outputs each see several channels? Else weights have a scale per channel.
  bool MixesChannels(size_t set) const;
  /// Of the layers that read tensors of this set (ChannelGroups::sets).
  /// @param factors  by group
  double Of(size_t set, std::span<const double> factors) const;

 private:
  struct Reader {
    size_t set;
    const std::vector<size_t>& groups;  ///< by channel
    std::vector<double> of_activation;  ///< by channel, where its factor is 1
    std::vector<double> mean_squares;   ///< by channel
    std::vector<double> ranges;         ///< largest magnitude by output and channel; empty: each channel has its scale
    double of_weight;                   ///< of a range of 1 and mean squares that add up to 1
  };

  static double ErrorOf(const Reader& reader, std::span<const double> factors);

  std::vector<Reader> readers_;
};

}  // namespace preon
