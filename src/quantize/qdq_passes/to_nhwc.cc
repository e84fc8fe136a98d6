// to_nhwc: images at the model's inputs and outputs are [N, H, W, C].
//
// Before:      y = Conv(DequantizeLinear(QuantizeLinear(x)), W)                                      x: [N, C, H, W]
// After:       y = Conv(DQ(Q(Transpose(DQ(Q(x))))), W)                                               x: [N, H, W, C]
// Conditions:  rank 4; C, H and W known; no sub-graph reads the tensor. Where a pair stands there, the same pair stands
//              on both sides of the Transpose, so that codes are transposed.
// Formula:     -
#include "quantize/qdq_passes/to_nhwc.h"

#include <cstring>

#include "base/text.h"
#include "passes/support/model_border.h"
#include "quantize/qdq_passes/qdq_passes.h"
#include "quantize/read/stored_codes.h"

namespace preon {
namespace {

const std::vector<int64_t> kToNchw = {0, 3, 1, 2}, kToNhwc = {0, 2, 3, 1};

struct Pair {
  Node* quantize;
  Node* dequantize;
};

bool Dequantizes(const Node* node) { return node != nullptr && DequantizesTensor(*node); }

bool Quantizes(const Node* node) { return node != nullptr && QuantizesTensor(*node); }

class Border {
 public:
  Border(Graph& graph, const std::set<std::string>& of) : graph_(graph), of_(of) {}

  NhwcBorder Run() {
    for (const std::string& input : std::vector(graph_.inputs())) {
      if (!IsImage(input) || graph_.IsOutput(input) || graph_.HasCapturedUse(input)) continue;
      TransposeBehind(input);
      Declare(input);
      made_.inputs.insert(input);
    }
    for (const std::string& output : std::vector(graph_.outputs())) {
      if (!IsImage(output) || graph_.Producer(output) == nullptr || graph_.HasCapturedUse(output)) continue;
      TransposeInFrontOf(output);
      Declare(output);
      made_.outputs.insert(output);
    }
    if (made_.inputs.empty() && made_.outputs.empty())
      made_.warnings.push_back(
          "ConvertNCHWToNHWC: has no effect: no input or output has the form [N, C, H, W] with known C, H and W");
    return std::move(made_);
  }

 private:
  bool IsImage(const std::string& tensor) const {
    if (!of_.empty() && !of_.contains(tensor)) return false;
    const std::optional<Shape> shape = graph_.ShapeOf(tensor);
    return shape && shape->size() == 4 && (*shape)[1] > 0 && (*shape)[2] > 0 && (*shape)[3] > 0;
  }

  void Declare(const std::string& tensor) {
    ValueInfo info = *graph_.Info(tensor);
    const Shape nchw = *info.shape;
    if (nchw[2] <= nchw[1] || nchw[3] <= nchw[1])
      made_.warnings.push_back(StrCat("ConvertNCHWToNHWC: '", tensor, "' is ", ShapeToString(nchw),
                                      ": does it hold channels in front of height and width?"));
    SetNhwc(tensor, std::move(info));
  }

  void SetNhwc(const std::string& tensor, ValueInfo info) {
    const Shape nchw = *info.shape;
    info.shape = Shape{nchw[0], nchw[2], nchw[3], nchw[1]};
    if (info.dim_names.size() == 4) info.dim_names = {info.dim_names[0], "", "", ""};
    graph_.SetInfo(tensor, std::move(info));
  }

  void AddTranspose(const std::string& from, const std::string& to, const std::string& name,
                    const std::vector<int64_t>& order) {
    graph_.AddNode("Transpose", {from}, {to}, name)->attributes["perm"] = order;
  }

  // The same pair from one tensor to another.
  void AddPair(const Pair& like, const std::string& from, const std::string& to, const std::string& base) {
    const std::string codes = graph_.UniqueTensorName(base + "_QuantizeLinear_Output");
    const auto add = [&](const Node& node, const std::string& x, const std::string& y, const char* suffix) {
      std::vector<std::string> inputs = node.inputs();
      inputs[0] = x;
      const std::string type = node.op_type, domain = node.domain;
      const auto attributes = node.attributes;
      graph_.AddNode(type, inputs, {y}, base + suffix, domain)->attributes = attributes;
    };
    add(*like.quantize, from, codes, "_QuantizeLinear");
    add(*like.dequantize, codes, to, "_DequantizeLinear");
  }

  void TransposeBehind(const std::string& input) {
    const std::string base = input + "_transpose", transposed = graph_.UniqueTensorName(base);
    const std::vector<Use> uses = graph_.Uses(input);
    Node* quantize = uses.size() == 1 && Quantizes(uses[0].node) ? uses[0].node : nullptr;
    const std::vector<Use> codes = quantize != nullptr ? graph_.Uses(quantize->output()) : std::vector<Use>();
    Node* dequantize = codes.size() == 1 && Dequantizes(codes[0].node) ? codes[0].node : nullptr;
    if (dequantize == nullptr || graph_.IsOutput(dequantize->output())) {
      for (const Use& use : uses) graph_.SetInput(use.node, use.input, transposed);
      AddTranspose(input, transposed, base, kToNchw);
      return;
    }
    const std::string result = graph_.UniqueTensorName(base + "_DequantizeLinear_Output");
    graph_.ReplaceUses(dequantize->output(), result);
    AddTranspose(dequantize->output(), transposed, base, kToNchw);
    // What was known of the pair in front of the Transpose: shapes are inferred from it.
    for (const std::string& tensor : {quantize->output(), dequantize->output()}) {
      const ValueInfo* info = graph_.Info(tensor);
      if (info != nullptr && info->shape && info->shape->size() == kToNhwc.size()) SetNhwc(tensor, *info);
    }
    AddPair({quantize, dequantize}, transposed, result, base);
  }

  void TransposeInFrontOf(const std::string& output) {
    const std::string base = output + "_transpose", nchw = graph_.UniqueTensorName(output + "_nchw");
    graph_.RenameOutput(output, nchw);
    graph_.ReplaceUses(output, nchw);
    Node* dequantize = Dequantizes(graph_.Producer(nchw)) ? graph_.Producer(nchw) : nullptr;
    Node* quantize = dequantize != nullptr ? graph_.Producer(dequantize->input(0)) : nullptr;
    if (!Quantizes(quantize)) return AddTranspose(nchw, output, base, kToNhwc);
    const std::string transposed = graph_.UniqueTensorName(base);
    AddTranspose(nchw, transposed, base, kToNhwc);
    AddPair({quantize, dequantize}, transposed, output, base);
  }

  Graph& graph_;
  const std::set<std::string>& of_;
  NhwcBorder made_;
};

class ToNhwcPass final : public QdqPass {
 public:
  std::string_view name() const override { return "to_nhwc"; }
  std::vector<std::string_view> aliases() const override { return {"ConvertNCHWToNHWC"}; }
  std::string_view summary() const override { return "images at inputs and outputs are [N, H, W, C]: --nhwc"; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>& warnings) const override {
    for (const std::string& name : plan.parameters.nhwc) {
      PREON_RETURN_IF_ERROR(CheckIsBorderTensor(model.graph, name));
    }
    NhwcBorder border = ToNhwc(model.graph, plan.parameters.nhwc);
    warnings.insert(warnings.end(), border.warnings.begin(), border.warnings.end());
    return border.inputs.empty() && border.outputs.empty() ? Effect::kUnchanged : Effect::kChanged;
  }
};

Tensor ImagesToNhwc(const Tensor& nchw) {
  const Shape& shape = nchw.shape();
  const auto images = static_cast<size_t>(shape[0]), channels = static_cast<size_t>(shape[1]),
             pixels = static_cast<size_t>(shape[2] * shape[3]);
  Tensor nhwc = Tensor::Allocate(nchw.type(), {shape[0], shape[2], shape[3], shape[1]});
  const size_t size = DataTypeBits(nchw.type()) / 8;
  for (size_t image = 0; image < images; ++image) {
    for (size_t pixel = 0; pixel < pixels; ++pixel) {
      for (size_t channel = 0; channel < channels; ++channel) {
        std::memcpy(nhwc.MutableBytes().data() + ((image * pixels + pixel) * channels + channel) * size,
                    nchw.bytes().data() + ((image * channels + channel) * pixels + pixel) * size, size);
      }
    }
  }
  return nhwc;
}

}  // namespace

std::unique_ptr<QdqPass> MakeToNhwcPass() { return std::make_unique<ToNhwcPass>(); }

NhwcBorder ToNhwc(Graph& graph, const std::set<std::string>& of) { return Border(graph, of).Run(); }

std::vector<NamedTensor> TransposedToNhwc(std::vector<NamedTensor> tensors, const std::set<std::string>& images) {
  for (NamedTensor& tensor : tensors)
    if (images.contains(tensor.name)) tensor.tensor = ImagesToNhwc(tensor.tensor);
  return tensors;
}

}  // namespace preon
