#include "quantize/write/dynamic_writer.h"

#include <algorithm>
#include <map>

#include "formats/quark_operators.h"
#include "passes/support/rewrite.h"
#include "quantize/write/dynamic_constants.h"
#include "quantize/write/write_bodies.h"

namespace preon {
namespace {

class DynamicWriter {
 public:
  DynamicWriter(Model& model, const QuantPlan& plan, bool in_body)
      : model_(model), graph_(model.graph), constants_(graph_, plan), plan_(plan), in_body_(in_body) {}

  Status Write() {
    if (plan_.dynamic.in_bodies > 0) PREON_RETURN_IF_ERROR(WriteBodies(model_, plan_.bodies, WriteBodyAlone));
    std::vector<Node*> replaced;
    for (const std::string& name : plan_.dynamic.nodes) {
      replaced.push_back(graph_.FindNode(name));
      PREON_RETURN_IF_ERROR(Replace(replaced.back()));
    }
    // Those behind first: a table whose codes they took has no other reader left.
    for (auto node = replaced.rbegin(); node != replaced.rend(); ++node) graph_.RemoveNode(*node);
    graph_.RemoveUnusedInitializers();
    return graph_.CheckIntegrity();
  }

 private:
  static Result<Model> WriteBodyAlone(const Model& body, const QuantPlan& plan) {
    Model written = body;
    PREON_RETURN_IF_ERROR(DynamicWriter(written, plan, true).Write());
    return written;
  }

  Status Replace(Node* node) {
    if (node->Is("MatMul") || node->Is("Conv")) return ReplaceProduct(node);
    if (node->Is("Gather")) return ReplaceGather(node);
    if (node->Is("LSTM")) return ReplaceLstm(node);
    return node->op_type == "Attention" ? ReplaceAttention(node) : ReplaceEmbedding(node);
  }

  // In front of `node`, its home and origins are those of the node that it replaces.
  Node* Add(const Node* node, const char* op, std::vector<std::string> inputs, std::vector<std::string> outputs,
            const std::string& name, const char* domain = "") {
    Node* made = graph_.AddNode(op, std::move(inputs), std::move(outputs), name, domain, node);
    made->origins = node->origins;
    made->home = node->home;
    if (*domain != '\0') model_.opsets.emplace(domain, 1);
    return made;
  }

  // What the node reads at input 0, as codes; found in each run, unless they are there already.
  CodeNames Quantize(const Node* node, const std::string& tensor) {
    const auto [entry, fresh] = codes_of_.try_emplace(tensor);
    if (!fresh) return entry->second;
    CodeNames& names = entry->second;
    // A body may read what the graph around it reads as well: names there come from the reader's result.
    const std::string base = in_body_ ? node->output() + "_data" : tensor;
    names = {graph_.UniqueTensorName(base + "_quantized"), graph_.UniqueTensorName(base + "_scale"),
             graph_.UniqueTensorName(base + "_zero_point")};
    // Goes where it is read: it may serve several branches.
    graph_.AddNode("DynamicQuantizeLinear", {tensor}, {names.codes, names.scale, names.zero_point},
                   tensor + "_QuantizeLinear", "", node);
    return names;
  }

  Status ReplaceProduct(Node* node) {
    const bool conv = node->Is("Conv");
    PREON_ASSIGN_OR_RETURN(const CodeNames weight, constants_.Encode(*node, 1));
    const CodeNames data = Quantize(node, node->input(0));
    const std::string y = node->output(), name = DynamicPlan::NameInResult(node->name);
    const std::string bias = conv ? node->input(2) : "";

    const std::string scale = graph_.UniqueTensorName((in_body_ ? y : name) + "_scales_mul:0");
    Add(node, "Mul", {data.scale, weight.scale}, {scale}, name + "_scales_mul");
    const std::string product = graph_.UniqueTensorName(y + "_output_quantized");
    Add(node, conv ? "ConvInteger" : "MatMulInteger", {data.codes, weight.codes, data.zero_point, weight.zero_point},
        {product}, name)
        ->attributes = node->attributes;
    const std::string cast = graph_.UniqueTensorName(product + "_cast_output");
    Add(node, "Cast", {product}, {cast}, product + "_cast")->attributes["to"] = static_cast<int64_t>(DataType::kFloat);
    const std::string scaled = bias.empty() ? y : graph_.UniqueTensorName(y + "quant_scaled_output");
    Add(node, "Mul", {cast, scale}, {scaled}, name + "_output_scale_mul");
    if (!bias.empty()) Add(node, "Add", {scaled, BiasOfChannels(*node)}, {y}, y + "_bias_add");
    return Status::Ok();
  }

  // A convolution's bias along the channels of its result. Other tools leave the Reshape to the runtime.
  std::string BiasOfChannels(Node& node) {
    const Tensor bias = *graph_.Initializer(node.input(2));
    Shape shape(graph_.Initializer(node.input(1))->shape().size(), 1);
    const std::string name = graph_.UniqueTensorName(node.output() + "_bias_reshape_output");
    if (plan_.compat != Compat::kOff) {
      shape[1] = -1;
      const std::string target = AddIntsConstant(graph_, node.output() + "_bias_reshape_shape", shape);
      Add(&node, "Reshape", {node.input(2), target}, {name}, node.output() + "_bias_reshape");
      return name;
    }
    shape[1] = bias.count();
    graph_.SetInitializer(name, bias.Reshaped(shape));
    return name;
  }

  Status ReplaceGather(Node* node) {
    PREON_ASSIGN_OR_RETURN(const CodeNames table, constants_.Encode(*node, 0));
    const std::string e = node->output(), indices = node->input(1), name = node->name;
    const std::string codes = graph_.UniqueTensorName(e + "_quantized");
    Add(node, "Gather", {table.codes, indices}, {codes}, DynamicPlan::NameInResult(name))->attributes =
        node->attributes;
    if (!graph_.Initializer(table.scale)->shape().empty()) {
      const std::string cast = graph_.UniqueTensorName(codes + "_cast_output"),
                        scale = graph_.UniqueTensorName(e + "_scale");
      Add(node, "Cast", {codes}, {cast}, codes + "_cast")->attributes["to"] = static_cast<int64_t>(DataType::kFloat);
      Add(node, "Gather", {table.scale, indices}, {scale}, name + "_scale");
      Add(node, "Mul", {cast, scale}, {e}, name + "_output_scale_mul");
      return Status::Ok();
    }
    codes_of_[e] = {codes, table.scale, table.zero_point};
    if (ReadAsFloats(e))
      Add(node, "DequantizeLinear", {codes, table.scale, table.zero_point}, {e}, e + "_DequantizeLinear");
    return Status::Ok();
  }

  // By anything but products that take the codes.
  bool ReadAsFloats(const std::string& tensor) const {
    if (graph_.IsOutput(tensor)) return true;
    const std::vector<Use> uses = graph_.Uses(tensor);
    return std::ranges::any_of(uses, [&](const Use& use) {
      const bool product = use.node->Is("MatMul") || use.node->Is("Conv") || use.node->op_type == "Attention";
      return use.captured || use.input != 0 || !product ||
             std::ranges::find(plan_.dynamic.nodes, use.node->name) == plan_.dynamic.nodes.end();
    });
  }

  Status ReplaceLstm(Node* node) {
    PREON_ASSIGN_OR_RETURN(const CodeNames w, constants_.Encode(*node, 1));
    PREON_ASSIGN_OR_RETURN(const CodeNames r, constants_.Encode(*node, 2));
    Node* made = Add(node, "DynamicQuantizeLSTM",
                     {node->input(0), w.codes, r.codes, node->input(3), node->input(4), node->input(5), node->input(6),
                      node->input(7), w.scale, w.zero_point, r.scale, r.zero_point},
                     node->outputs(), DynamicPlan::NameInResult(node->name), kContribDomain);
    made->attributes = node->attributes;
    made->attributes.erase("layout");
    return Status::Ok();
  }

  Status ReplaceAttention(Node* node) {
    PREON_ASSIGN_OR_RETURN(const CodeNames weight, constants_.Encode(*node, 1));
    const CodeNames data = Quantize(node, node->input(0));
    Add(node, "QAttention",
        {data.codes, weight.codes, node->input(2), data.scale, weight.scale, node->input(3), data.zero_point,
         weight.zero_point, node->input(4)},
        node->outputs(), DynamicPlan::NameInResult(node->name), kContribDomain)
        ->attributes = node->attributes;
    return Status::Ok();
  }

  Status ReplaceEmbedding(Node* node) {
    std::vector<std::string> inputs = {node->input(0), node->input(1)}, scales, zero_points;
    for (const size_t index : {2, 3, 4, 5, 6}) {
      PREON_ASSIGN_OR_RETURN(const CodeNames constant, constants_.Encode(*node, index));
      inputs.push_back(constant.codes);
      scales.push_back(constant.scale);
      zero_points.push_back(constant.zero_point);
    }
    inputs.push_back(node->input(7));
    inputs.insert(inputs.end(), scales.begin(), scales.end());
    inputs.insert(inputs.end(), zero_points.begin(), zero_points.end());
    Add(node, "QEmbedLayerNormalization", std::move(inputs), node->outputs(), DynamicPlan::NameInResult(node->name),
        kContribDomain)
        ->attributes = node->attributes;
    return Status::Ok();
  }

  Model& model_;
  Graph& graph_;
  DynamicConstants constants_;
  const QuantPlan& plan_;
  const bool in_body_;
  std::map<std::string, CodeNames> codes_of_;  // by tensor
};

}  // namespace

Status WriteDynamic(Model& model, const QuantPlan& plan) { return DynamicWriter(model, plan, false).Write(); }

}  // namespace preon
