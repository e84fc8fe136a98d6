#include <map>
#include <utility>

#include "quantize/prepare.h"

namespace preon {
namespace {

enum class ConstantRole { kWeight, kBias, kOperand };

ConstantRole RoleOf(const Node& node, size_t input) {
  if (node.Is("Conv") || node.Is("ConvTranspose") || node.Is("Gemm")) {
    return input == 1 ? ConstantRole::kWeight : input == 2 ? ConstantRole::kBias : ConstantRole::kOperand;
  }
  return node.Is("MatMul") && input == 1 ? ConstantRole::kWeight : ConstantRole::kOperand;
}

}  // namespace

void UnshareConstants(Model& model) {
  Graph& graph = model.graph;
  // Weights and operands are shared among readers of the same role; a bias belongs to one node, because its scale is
  // the product of that node's own scales.
  std::map<std::pair<std::string, ConstantRole>, std::string> names;
  std::map<std::string, ConstantRole> first_role;
  for (const auto& node : graph.nodes()) {
    for (size_t index = 0; index < node->inputs().size(); ++index) {
      const std::string constant = node->input(index);
      const Tensor* value = graph.Initializer(constant);
      if (value == nullptr || value->type() != DataType::kFloat) continue;
      const ConstantRole role = RoleOf(*node, index);
      const auto [first, fresh] = first_role.try_emplace(constant, role);
      if (fresh || (first->second == role && role != ConstantRole::kBias)) continue;
      std::string& name = names[{constant, role}];
      if (name.empty() || role == ConstantRole::kBias) {
        name = graph.UniqueTensorName(constant + "_" + std::to_string(names.size()));
        graph.SetInitializer(name, *value);
      }
      graph.SetInput(node.get(), index, name);
    }
  }
}

}  // namespace preon
