// What the types of the options ask of the model and of calibration.
#include <algorithm>

#include "quantize/plan/quant_plan.h"
#include "quantize/settings/tensor_settings.h"
#include "quantize/targets/op_list/op_list_planner.h"
#include "quantize/write/stock_form.h"

namespace preon {
namespace {

// Where the standard has what the type is written with (docs/design/op-list-targets.md, "Opsets").
int64_t OpsetOf(const TensorType& type, OperatorForm operators, bool contrib) {
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
      return contrib ? kFirst : kMoreTypes;
  }
}

}  // namespace

int64_t OpListOpset(const PlanNeeds& needs, OperatorForm operators, bool contrib) {
  int64_t opset = needs.channel_scales ? 13 : 10;
  for (const TensorType& type : needs.types) opset = std::max(opset, OpsetOf(type, operators, contrib));
  constexpr int64_t kBlocks = 21;
  return needs.block_scales || needs.packed_blocks ? std::max(opset, kBlocks) : opset;
}

bool OpListNeedsStatistics(const TensorType& activation, bool scaled, bool has_overrides) {
  return has_overrides || HasScale(activation, scaled);
}

}  // namespace preon
