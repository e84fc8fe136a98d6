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
  if (limits.min >= 0) limits.min = -kInfinity;
  return limits;
}

Saturation::Saturation(const Graph& quantized, const CodedLayer& layer, const FloatLayer& float_layer)
    : limits_(SaturationLimits(quantized, layer.node->output())) {
  const std::optional<std::vector<float>> bias = BiasValues(quantized, *layer.node, float_layer.bias.size());
  if (!bias) limits_ = kNoLimits;
  if (!has_limits()) return;
  for (size_t group = 0; group < layer.form.groups; ++group) {
    changes_.push_back(WeightChange(
        CodesOf(layer, group), WeightsOf(layer, float_layer.weight, float_layer.bias, group), GridsOf(layer, group)));
  }
  bias_changes_.resize(bias->size());
  if (layer.bias) return;  // among the weights
  std::ranges::transform(*bias, float_layer.bias, bias_changes_.begin(), std::minus());
}

bool Saturation::has_limits() const { return limits_ != kNoLimits; }

void Saturation::Relax(size_t group, ConstMatrixView inputs, std::span<const float* const> targets,
                       MatrixView missing) const {
  Matrix moved(missing.rows, missing.columns);
  AddProduct(inputs, changes_[group].view(), 1, moved.view());
  const size_t first_output = group * missing.columns;
  for (size_t p = 0; p < missing.rows; ++p) {
    for (size_t j = 0; j < missing.columns; ++j) {
      const float target = targets[p][first_output + j];
      if (target > limits_.min && target < limits_.max) continue;
      float& lacks = missing.row(p)[j];
      const float given = target - lacks + moved.at(p, j) + bias_changes_[first_output + j];
      lacks += (target >= limits_.max ? std::max(given, limits_.max) : std::min(given, limits_.min)) - target;
    }
  }
}

}  // namespace preon
