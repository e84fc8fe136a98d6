#include "quantize/targets/op_list/op_list_rules.h"

#include <algorithm>
#include <array>

#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

using Types = std::vector<std::string_view>;

// Of operators with integer kernels, as both tools list them.
constexpr std::array<std::string_view, 24> kQLinearTypes = {
    "ArgMax",      "Conv",   "Gemm",      "MatMul",  "Add",       "Mul",
    "Relu",        "Clip",   "LeakyRelu", "Sigmoid", "MaxPool",   "GlobalAveragePool",
    "Split",       "Pad",    "Reshape",   "Squeeze", "Unsqueeze", "Resize",
    "AveragePool", "Concat", "Softmax",   "Where",   "Gather",    "Transpose"};

constexpr std::array<std::string_view, 8> kOrtTypes = {
    "ConvTranspose", "Slice", "GatherElements", "InstanceNormalization", "LayerNormalization", "BatchNormalization",
    "Flatten",       "TopK"};
constexpr std::array<std::string_view, 6> kQuarkTypes = {
    "ConvTranspose", "Tanh", "Gelu", "InstanceNormalization", "LayerNormalization", "EmbedLayerNormalization"};
constexpr std::array<std::string_view, 12> kExtendedTypes = {"HardSigmoid",  "Div",   "Erf",        "Sub",
                                                             "Min",          "Max",   "ReduceMean", "DepthToSpace",
                                                             "SpaceToDepth", "Slice", "PRelu",      "LpNormalization"};

constexpr std::array<std::string_view, 4> kProducts = {"Conv", "ConvTranspose", "Gemm", "MatMul"};

std::map<std::string_view, OpHandler> CommonHandlers() {
  return {{"Conv", OpHandler::kLinear},
          {"ConvTranspose", OpHandler::kLinear},
          {"Gemm", OpHandler::kLinear},
          {"MatMul", OpHandler::kMatMul},
          {"Relu", OpHandler::kClamp},
          {"Clip", OpHandler::kClamp},
          {"Reshape", OpHandler::kMover},
          {"Transpose", OpHandler::kMover},
          {"Squeeze", OpHandler::kMover},
          {"Unsqueeze", OpHandler::kMover},
          {"Resize", OpHandler::kMover},
          {"MaxPool", OpHandler::kMover},
          {"AveragePool", OpHandler::kMover},
          {"Gather", OpHandler::kGather},
          {"Split", OpHandler::kSplit},
          {"Where", OpHandler::kWhere},
          {"InstanceNormalization", OpHandler::kNormalization},
          {"LayerNormalization", OpHandler::kNormalization}};
}

// An average has parameters of its own, unlike what only moves values.
void UseHandlersOfNpus(OpHandlers& handlers) {
  handlers.erase("AveragePool");
  handlers["HardSigmoid"] = OpHandler::kHardSigmoid;
  handlers["PRelu"] = OpHandler::kSlope;
}

template <typename... Lists>
Types Joined(const Lists&... lists) {
  Types types;
  (types.insert(types.end(), lists.begin(), lists.end()), ...);
  return types;
}

}  // namespace

bool OpListRules::Quantizes(std::string_view op_type) const {
  return std::ranges::find(op_types, op_type) != op_types.end();
}

OpHandler HandlerOf(const OpHandlers& handlers, std::string_view op_type) {
  const auto handler = handlers.find(op_type);
  return handler == handlers.end() ? OpHandler::kEveryTensor : handler->second;
}

bool OpListRules::Symmetric(const TensorType& activation, std::optional<bool> wanted) const {
  const bool centred = activation.block() != nullptr || IntFormat{activation.type()}.floating();
  return wanted.value_or(centred || (int8_is_symmetric && activation == DataType::kInt8));
}

void OpListRules::SetNpuFacts(const AlignOptions& align, const ShiftOptions& shifts, const DpuOptions& dpu,
                              QuantPlan* plan) const {
  if (simulates_dpu) {
    plan->dpu = ConversionsFrom(dpu, simulates_by_default);
    const std::vector<std::string> told = DpuKeysWithoutNodes(dpu, plan->nodes);
    plan->warnings.insert(plan->warnings.end(), told.begin(), told.end());
  }
  if (has_positions) plan->positions = LimitsFrom(align, shifts, plan->dpu.sigmoid);
}

bool IsRewriteForNpus(std::string_view pass) {
  constexpr std::array<std::string_view, 4> kOfNpus = {"convert_reduce_mean", "split_large_pool", "convert_split",
                                                       "convert_batch_norm"};
  return std::ranges::find(kOfNpus, pass) != kOfNpus.end();
}

OpListRules OrtIntegerRules() {
  OpListRules rules = OrtRules();
  rules.op_types = Joined(kQLinearTypes, std::array<std::string_view, 1>{"Flatten"});
  return rules;
}

OpListRules OrtRules() {
  OpListRules rules{.target = "ort", .op_types = Joined(kQLinearTypes, kOrtTypes), .handlers = CommonHandlers()};
  for (const char* mover : {"Flatten", "Slice", "TopK"}) rules.handlers[mover] = OpHandler::kMover;
  rules.handlers["Pad"] = OpHandler::kPad;
  rules.handlers["GatherElements"] = OpHandler::kGather;
  rules.handlers["BatchNormalization"] = OpHandler::kNormalization;
  rules.folds_clamps = rules.narrows_clamp_inputs = rules.per_channel_is_symmetric = true;
  return rules;
}

OpListRules QuarkRules(QuarkFormat format, bool fold_relu, Compat compat) {
  const bool extended = format == QuarkFormat::kExtended;
  OpListRules rules{.target = "quark", .operators = OperatorForm::kLibrary, .handlers = CommonHandlers()};
  rules.op_types = Joined(kQLinearTypes, kQuarkTypes);
  if (extended) rules.op_types = Joined(rules.op_types, kExtendedTypes);
  rules.folds_clamps = !extended || fold_relu;
  rules.removes_pairs = rules.shifts_as_weights = rules.other_biases_as_weights = rules.int8_is_symmetric =
      rules.per_channel_is_int8 = true;
  rules.narrows_clamp_inputs = true;
  rules.extended = extended;
  rules.constants_are_weights = true;
  if (extended) UseHandlersOfNpus(rules.handlers);
  rules.simulates_dpu = extended;
  rules.improves_ranges = compat == Compat::kOff;
  return rules;
}

OpListRules NpuCnnRules(Compat compat) {
  OpListRules rules = QuarkRules(QuarkFormat::kBase, false, compat);
  rules.target = "npu-cnn";
  rules.operators = OperatorForm::kStock;
  rules.op_types = Joined(kQLinearTypes, kQuarkTypes, kExtendedTypes);
  UseHandlersOfNpus(rules.handlers);
  if (compat == Compat::kOff) {  // as Reshape: a Gemm behind a pool then reads codes with the pool's steps
    rules.op_types.push_back("Flatten");
    rules.handlers["Flatten"] = OpHandler::kMover;
  }
  rules.biases_are_weights = rules.has_positions = rules.simulates_dpu = rules.simulates_by_default = true;
  return rules;
}

OpListRules NpuTransformerRules() {
  OpListRules rules = QuarkRules(QuarkFormat::kBase, false, Compat::kOff);
  rules.target = "npu-transformer";
  rules.improves_ranges = false;
  rules.operators = OperatorForm::kStock;
  rules.op_types = {"Gemm", "MatMul"};
  rules.matmul_const_b_only = true;
  return rules;
}

OpListRules SimulateRules(const TensorType& activation, Compat compat) {
  OpListRules rules{.target = "simulate", .op_types = Joined(kQLinearTypes, kQuarkTypes), .handlers = CommonHandlers()};
  rules.operands_alone = activation.block() != nullptr && compat == Compat::kOff;
  if (rules.operands_alone) rules.op_types = Joined(kProducts);
  rules.folds_clamps = rules.removes_pairs = rules.shifts_as_weights = rules.int8_is_symmetric = true;
  rules.keeps_masks_float = rules.guards_float_regions = rules.unknown_is_float = true;
  rules.improves_ranges = compat == Compat::kOff;
  return rules;
}

QuarkFormat QuarkFormatFor(std::optional<QuarkFormat> wanted, const TensorType& activation, const TensorType& weight,
                           bool has_overrides) {
  if (wanted) return *wanted;
  const bool base = IsByte(activation) && IsByte(weight) && !has_overrides;
  return base ? QuarkFormat::kBase : QuarkFormat::kExtended;
}

}  // namespace preon
