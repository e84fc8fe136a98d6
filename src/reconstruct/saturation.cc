#include "reconstruct/saturation.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "quantize/plan/op_traits.h"
#include "quantize/read/stored_codes.h"
#include "solver/dense.h"
#include "solver/round_codes.h"

namespace preon {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Range kNoLimits = {-kInfinity, kInfinity};

}  // namespace

Range SaturationLimits(const Graph& quantized, const std::string& tensor) {
  Range limits = kNoLimits;
  std::string behind = tensor;
  while (!quantized.IsOutput(behind) && !quantized.HasCapturedUse(behind) && quantized.UseCount(behind) == 1) {
    const Node& node = *quantized.Uses(behind).front().node;
    const bool has_codes = QuantizesTensor(node) || DequantizesTensor(node);
    const std::optional<Range> cut = has_codes ? RangeOfCodes(CodesAt(quantized, node)) : ClampRange(quantized, node);
    if (!cut) break;
    limits = {std::clamp(cut->min, limits.min, limits.max), std::clamp(cut->max, limits.min, limits.max)};
    behind = node.output();
  }
  return limits;
}

Saturation::Saturation(const Graph& quantized, const CodedLayer& layer, const FloatLayer& float_layer)
    : limits_(SaturationLimits(quantized, layer.node->output())) {
  const std::optional<std::vector<float>> bias = BiasValues(quantized, *layer.node, float_layer.bias.size());
  if (!bias) limits_ = kNoLimits;
  judges_ = layer.has_few_codes() && limits_ != kNoLimits;
  if (limits_.min >= 0) ways_.push_back({-kInfinity, limits_.max});
  if (limits_.min < 0 || judges_) ways_.push_back(limits_);
  if (ways_.back() == kNoLimits) return;
  for (size_t group = 0; group < layer.form.groups; ++group) {
    const OutputRange all = layer.form.all();
    changes_.push_back(WeightChange(CodesOf(layer, group, all), WeightsOf(layer, float_layer, group, all),
                                    GridsOf(layer, group, all)));
  }
  bias_changes_.resize(bias->size());
  if (layer.bias) return;  // among the weights
  std::ranges::transform(*bias, float_layer.bias, bias_changes_.begin(), std::minus());
}

void Saturation::Relax(size_t group, ConstMatrixView inputs, std::span<const float* const> targets,
                       MatrixView missing) const {
  if (changes_.empty()) return;
  const size_t outputs = changes_[group].columns(), first_output = group * outputs;
  Matrix moved(missing.rows, outputs);
  AddProduct(inputs, changes_[group].view(), 1, moved.view());
  for (size_t p = 0; p < missing.rows; ++p) {
    float* const lacks = missing.row(p);
    for (size_t j = 0; j < outputs; ++j) {
      const float target = targets[p][first_output + j], all = lacks[j];
      const float given = target - all + moved.at(p, j) + bias_changes_[first_output + j];
      for (size_t way = 0; way < ways_.size(); ++way) {
        float wanted = target;
        if (target >= ways_[way].max) wanted = std::max(given, ways_[way].max);
        if (target <= ways_[way].min) wanted = std::min(given, ways_[way].min);
        lacks[way * outputs + j] = all + (wanted - target);
      }
    }
  }
}

}  // namespace preon
