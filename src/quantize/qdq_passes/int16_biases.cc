// int16_biases: codes of biases in int32 become int16.
//
// Before:      y = Conv(x, W, DequantizeLinear(b: int32, s, z: int32))
// After:       y = Conv(x, W, DequantizeLinear(b: int16, s, z: int16))
// Conditions:  the codes are a constant.
// Formula:     b' = min(max(b, -32768), 32767); the scale stays
// Why:         Quark's Int16Bias: what some NPUs have. The standard's DequantizeLinear takes int16 from opset 21 on.
#include <algorithm>
#include <set>
#include <string>

#include "base/spelling.h"
#include "base/text.h"
#include "ir/model_io.h"
#include "quantize/plan/op_traits.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr int64_t kInt16Opset = 21;
constexpr size_t kToldNames = 3;

bool Fits16Bits(const Tensor& codes) {
  return std::ranges::all_of(codes.As<int32_t>(), [](int32_t code) { return code >= -32768 && code <= 32767; });
}

Tensor CutTo16Bits(const Tensor& codes) {
  Tensor cut = Tensor::Allocate(DataType::kInt16, codes.shape());
  std::ranges::transform(codes.As<int32_t>(), cut.Mutable<int16_t>().begin(),
                         [](int32_t code) { return static_cast<int16_t>(std::clamp(code, -32768, 32767)); });
  return cut;
}

class Int16Biases final : public QdqPass {
 public:
  std::string_view name() const override { return "int16_biases"; }
  std::vector<std::string_view> aliases() const override { return {"Int16Bias"}; }
  std::string_view summary() const override {
    return "codes of int32 biases become int16; beyond 16 bits they saturate";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.int16_biases; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>& warnings) const override {
    Graph& graph = model.graph;
    std::set<std::string> saturated;
    bool changed = false, standard = false;
    for (const auto& node : graph.nodes()) {
      const Node* bias = HasBiasAtInput2(*node) && node->inputs().size() > 2 ? graph.Producer(node->input(2)) : nullptr;
      if (bias == nullptr || bias->op_type != "DequantizeLinear") continue;
      const Tensor* codes = graph.Initializer(bias->input(0));
      if (codes == nullptr || codes->type() != DataType::kInt32) continue;
      if (!Fits16Bits(*codes)) saturated.insert(node->name);
      for (const size_t input : {0, 2}) {
        const Tensor* constant = graph.Initializer(bias->input(input));
        if (constant != nullptr) graph.SetInitializer(bias->input(input), CutTo16Bits(*constant));
      }
      changed = true;
      standard = standard || bias->domain.empty();
    }
    if (standard && model.opset() < kInt16Opset) PREON_RETURN_IF_ERROR(ConvertOpset(model, kInt16Opset));
    if (!saturated.empty())
      warnings.push_back(StrCat("int16 biases: codes of ", FirstNames(saturated, kToldNames),
                                " do not fit 16 bits and saturate: compare the outputs"));
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeInt16BiasesPass() { return std::make_unique<Int16Biases>(); }

}  // namespace preon
