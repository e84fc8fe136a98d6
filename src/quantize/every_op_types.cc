// What the types of the options ask of the model and of calibration.
#include <algorithm>
#include <array>

#include "quantize/every_op_planner.h"
#include "quantize/stock_form.h"

namespace preon {
namespace {

constexpr std::array kTwoBits = {DataType::kInt2, DataType::kUInt2};   // without a map from ranges

// All types that a tensor may get: those of the options, and of overrides.
std::vector<TensorType> TypesOf(const PlanOptions& options) {
  std::vector<TensorType> types = {options.activation, options.weight};
  for (const auto& [tensor, wanted] : options.overrides) {
    if (wanted.type) types.push_back(*wanted.type);
  }
  return types;
}

// Where the standard has what the type is written with (spec formats §9.2).
int64_t OpsetOf(const TensorType& type, OperatorForm operators) {
  constexpr int64_t kFirst = 10, kCastToBFloat16 = 13, kFloat8 = 19, kMoreTypes = 21;
  const bool stock = operators == OperatorForm::kStock;
  switch (type.type()) {
    case DataType::kInt8:
    case DataType::kUInt8:
      return kFirst;
    case DataType::kFloat16:
    case DataType::kBFloat16:
      return kCastToBFloat16;
    case DataType::kFloat8E4M3FN:
    case DataType::kFloat8E5M2:
      return kFloat8;
    case DataType::kUndefined:
    case DataType::kInt32:
    case DataType::kUInt32:
      return stock ? kStockFormOpset : kFirst;
    default:
      return kMoreTypes;
  }
}

}  // namespace

bool IsSixteenBitFloat(DataType type) { return type == DataType::kFloat16 || type == DataType::kBFloat16; }

bool TakesEveryType(const PlanOptions& options) {
  return std::ranges::find(kTwoBits, options.weight.type()) == std::end(kTwoBits);
}

int64_t EveryOpOpset(const PlanOptions& options, OperatorForm operators) {
  const bool has_scales = options.weight.block() == nullptr && (!IsSixteenBitFloat(options.weight.type()) || options.weight_scaled);
  int64_t opset = options.per_channel && has_scales ? 13 : 10;
  for (const TensorType& type : TypesOf(options)) opset = std::max(opset, OpsetOf(type, operators));
  constexpr int64_t kBlocks = 21;
  const bool packs = options.weight.block() != nullptr && options.weight_form == WeightForm::kPacked;
  return options.block_size || packs ? std::max(opset, kBlocks) : opset;
}

bool EveryOpNeedsStatistics(const PlanOptions& options) {
  if (!options.overrides.empty()) return true;
  if (options.activation.block() != nullptr) return false;
  return options.activation_scaled || !IsSixteenBitFloat(options.activation.type());
}

}  // namespace preon
