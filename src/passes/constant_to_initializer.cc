// constant_to_initializer: Constant nodes become initializers under the name of the tensor they write.
//
// Before:      t = Constant {value | value_float | value_floats | value_int | value_ints | value_string |
// value_strings} After:       initializer t Conditions:  t is no graph output; sparse values stay nodes.
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

template <typename T>
Tensor ListTensor(DataType type, const std::vector<T>& values) {
  return Tensor::From<T>(type, {static_cast<int64_t>(values.size())}, values);
}

struct ToTensor {
  std::optional<Tensor> operator()(const Tensor& value) const { return value; }
  std::optional<Tensor> operator()(float value) const { return Tensor::ScalarFloat(value); }
  std::optional<Tensor> operator()(int64_t value) const { return Tensor::FromInt64s({}, {&value, 1}); }
  std::optional<Tensor> operator()(const std::string& value) const { return Tensor::FromStrings({}, {value}); }
  std::optional<Tensor> operator()(const std::vector<float>& values) const {
    return ListTensor(DataType::kFloat, values);
  }
  std::optional<Tensor> operator()(const std::vector<int64_t>& values) const {
    return ListTensor(DataType::kInt64, values);
  }
  std::optional<Tensor> operator()(const std::vector<std::string>& values) const {
    return Tensor::FromStrings({static_cast<int64_t>(values.size())}, values);
  }
  std::optional<Tensor> operator()(const OpaqueAttribute&) const { return std::nullopt; }
};

class ConstantToInitializer final : public NodePass {
 public:
  ConstantToInitializer()
      : NodePass({.name = "constant_to_initializer",
                  .summary = "Constant nodes become initializers",
                  .target_ops = {"Constant"},
                  .works_in_bodies = true}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    if (node.attributes.size() != 1 || model.graph.IsOutput(node.output())) return false;
    std::optional<Tensor> value = std::visit(ToTensor(), node.attributes.begin()->second);
    if (!value.has_value()) return false;
    ReplaceByConstants(model.graph, node, {std::move(*value)});
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeConstantToInitializerPass() { return std::make_unique<ConstantToInitializer>(); }

}  // namespace preon
