#include "ir/input/hostile_model.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace preon {
namespace {

struct AttributeRule {
  std::string_view attribute;
  int64_t least, most = kMaxAttribute;
};
// What kernels divide by, and factors of the sizes of buffers. Rules for a name, not for an operator: the next one that
// forgets to look takes the same names.
constexpr AttributeRule kRules[] = {
    {"batch_dims", 0, kMaxRank},
    {"block_size", 0},
    {"blocksize", 1},
    {"dilations", 1},
    {"group", 1},
    {"hidden_size", 1},
    {"kernel_shape", 1},
    {"kv_num_heads", 1},
    {"num_groups", 1},
    {"num_heads", 1},
    {"num_outputs", 1},
    {"offset_group", 1},
    {"output_height", 1},
    {"output_padding", 0},
    {"output_width", 1},
    {"pads", -kMaxAttribute},
    {"q_num_heads", 1},
    {"qkv_hidden_sizes", 0},
    {"sampling_ratio", 0, 1024},
    {"strides", 1},
};

Status CheckAttribute(const onnx::AttributeProto& attribute) {
  const auto rule =
      std::ranges::find_if(kRules, [&](const AttributeRule& one) { return one.attribute == attribute.name(); });
  if (rule == std::end(kRules)) return Status::Ok();
  const auto check = [&](int64_t value) {
    if (value >= rule->least && value <= rule->most) return Status::Ok();
    return Error(ErrorId::kModelInvalid, "attribute ", rule->attribute, ": got ", value, ", wanted ", rule->least,
                 " to ", rule->most);
  };
  if (attribute.type() == onnx::AttributeProto::INT) return check(attribute.i());
  for (const int64_t value : attribute.ints()) PREON_RETURN_IF_ERROR(check(value));
  return Status::Ok();
}

Status CheckRank(std::string_view tensor, int rank) {
  if (rank <= kMaxRank) return Status::Ok();
  return Error(ErrorId::kModelInvalid, "tensor '", tensor, "' has ", rank, " dimensions; wanted at most ", kMaxRank);
}

Status CheckValue(const onnx::ValueInfoProto& value) {
  return CheckRank(value.name(), value.type().tensor_type().shape().dim_size());
}

/// What becomes of a graph or a function once the functions that it calls are written out.
struct Expanded {
  int64_t nodes = 0;  ///< those of functions
  int depth = 0;      ///< of calls

  void Add(const Expanded& part) {
    nodes = std::min(nodes + part.nodes, kMaxExpandedNodes + 1);
    depth = std::max(depth, part.depth);
  }
};

class Checker {
 public:
  explicit Checker(const onnx::ModelProto& model) {
    for (const auto& function : model.functions()) functions_[KeyOf(function.domain(), function.name())] = &function;
  }

  Result<Expanded> Graph(const onnx::GraphProto& graph) {
    for (const auto& tensor : graph.initializer()) PREON_RETURN_IF_ERROR(CheckRank(tensor.name(), tensor.dims_size()));
    for (const auto& tensor : graph.sparse_initializer())
      PREON_RETURN_IF_ERROR(CheckRank(tensor.values().name(), tensor.dims_size()));
    for (const auto* values : {&graph.input(), &graph.output(), &graph.value_info()}) {
      for (const auto& value : *values) PREON_RETURN_IF_ERROR(CheckValue(value));
    }
    return Nodes(graph.node());
  }

  Status Functions() {
    for (const auto& [key, function] : functions_) PREON_RETURN_IF_ERROR(Function(key, *function).status());
    return Status::Ok();
  }

 private:
  static std::string KeyOf(const std::string& domain, const std::string& name) {
    return (domain == "ai.onnx" ? "" : domain) + ":" + name;
  }

  template <typename Protos>
  Result<Expanded> Nodes(const Protos& nodes) {
    Expanded all;
    for (const auto& node : nodes) {
      Result<Expanded> one = Node(node);
      if (!one.ok()) return std::move(one).status().WithContext("node ", node.name(), " (", node.op_type(), ")");
      all.Add(*one);
    }
    return all;
  }

  Result<Expanded> Node(const onnx::NodeProto& node) {
    Expanded all{.nodes = open_.empty() ? 0 : 1};
    for (const auto& attribute : node.attribute()) {
      PREON_RETURN_IF_ERROR(CheckAttribute(attribute));
      PREON_RETURN_IF_ERROR(CheckRank(attribute.name(), attribute.t().dims_size()));
      for (const auto& tensor : attribute.tensors())
        PREON_RETURN_IF_ERROR(CheckRank(attribute.name(), tensor.dims_size()));
      if (attribute.has_g()) {
        PREON_ASSIGN_OR_RETURN(const Expanded part, Graph(attribute.g()));
        all.Add(part);
      }
      for (const auto& graph : attribute.graphs()) {
        PREON_ASSIGN_OR_RETURN(const Expanded part, Graph(graph));
        all.Add(part);
      }
    }
    const std::string key = KeyOf(node.domain(), node.op_type());
    if (const auto function = functions_.find(key); function != functions_.end()) {
      PREON_ASSIGN_OR_RETURN(const Expanded part, Function(key, *function->second));
      all.Add({part.nodes, part.depth + 1});
    }
    if (all.depth > kMaxFunctionDepth)
      return Error(ErrorId::kModelInvalid, "functions call functions more than ", kMaxFunctionDepth, " deep");
    return all;
  }

  Result<Expanded> Function(const std::string& key, const onnx::FunctionProto& function) {
    if (const auto known = expanded_.find(key); known != expanded_.end()) return known->second;
    if (!open_.insert(key).second) return Error(ErrorId::kModelInvalid, "function ", function.name(), " calls itself");
    if (open_.size() > kMaxFunctionDepth + 1)
      return Error(ErrorId::kModelInvalid, "functions call functions more than ", kMaxFunctionDepth, " deep");
    for (const auto& value : function.value_info()) PREON_RETURN_IF_ERROR(CheckValue(value));
    Result<Expanded> expanded = Nodes(function.node());
    open_.erase(key);
    if (!expanded.ok()) return std::move(expanded).status().WithContext("function ", function.name());
    return expanded_[key] = *expanded;
  }

  std::map<std::string, const onnx::FunctionProto*> functions_;
  std::map<std::string, Expanded> expanded_;
  std::set<std::string> open_;  // those whose nodes are being counted
};

}  // namespace

Status CheckHostileModel(const onnx::ModelProto& model) {
  Checker checker(model);
  PREON_ASSIGN_OR_RETURN(const Expanded graph, checker.Graph(model.graph()));
  PREON_RETURN_IF_ERROR(checker.Functions());  // those that nothing calls, too: the runtime reads them
  if (graph.nodes <= kMaxExpandedNodes) return Status::Ok();
  return Error(ErrorId::kModelTooLarge, "its functions, written out, make more than ", kMaxExpandedNodes, " nodes")
      .WithHint("write them out with onnx.inliner.inline_local_functions, or export the model without functions");
}

}  // namespace preon
