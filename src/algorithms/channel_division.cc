#include "algorithms/channel_division.h"

#include <algorithm>
#include <map>
#include <utility>

namespace preon {
namespace {

constexpr float kLeastFactor = 1.0f / 256;

class DivisionHook final : public WriteHook {
 public:
  DivisionHook(std::map<std::string, ChannelExtremes> extremes, FactorsOf factors_of)
      : extremes_(std::move(extremes)), factors_of_(factors_of) {}

  Result<std::vector<DividedChannels>> BeforeWeights(Graph& graph, const PlanParams& params) override {
    std::vector<DividedChannels> divided;
    for (const auto& [tensor, extremes] : extremes_) {
      const ActivationParams* activation = params.Find(tensor);
      if (activation == nullptr) continue;  // it has a format with scales of blocks
      const Range covered = RepresentableRange(activation->params, activation->format);
      std::vector<float> factors = factors_of_(graph, tensor, extremes, covered);
      if (factors.empty()) continue;
      divided.push_back({tensor, std::move(factors)});
      DivideChannels(graph, divided.back());
    }
    return divided;
  }

 private:
  std::map<std::string, ChannelExtremes> extremes_;
  FactorsOf factors_of_;
};

}  // namespace

std::vector<float> ChannelFactors(const ChannelExtremes& extremes, const Range& covered) {
  const auto share = [](float reached, float limit) { return reached * limit > 0 ? reached / limit : 0; };
  std::vector<float> factors;
  for (size_t channel = 0; channel < extremes.max.size(); ++channel) {
    const float factor = std::max(share(extremes.max[channel], covered.max), share(extremes.min[channel], covered.min));
    factors.push_back(factor == 0 ? 1 : std::clamp(factor, kLeastFactor, 1.0f));
  }
  return factors;
}

StatisticsRequest ExtremesOf(const std::vector<std::string>& tensors) {
  return {.channel_extremes = {tensors.begin(), tensors.end()}};
}

std::unique_ptr<WriteHook> DivideByExtremes(const std::vector<std::string>& tensors,
                                            const CollectedStatistics& collected, FactorsOf factors_of) {
  std::map<std::string, ChannelExtremes> extremes_of;
  for (const std::string& tensor : tensors) {
    const auto extremes = collected.channel_extremes.find(tensor);
    if (extremes != collected.channel_extremes.end()) extremes_of.insert(*extremes);
  }
  return std::make_unique<DivisionHook>(std::move(extremes_of), factors_of);
}

}  // namespace preon
