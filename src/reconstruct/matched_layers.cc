#include "reconstruct/matched_layers.h"

#include <algorithm>
#include <optional>

#include "formats/nbits_weight.h"
#include "reconstruct/segment.h"

namespace preon {
namespace {

// The written model may read more channels, which are zeros (quantize/qdq_passes/fill_image_channels.h).
std::optional<Tensor> Widened(const Tensor& weight, const Shape& shape) {
  if (weight.shape() == shape) return weight;
  Shape narrowed = shape;
  if (shape.size() < 3 || weight.shape().size() != shape.size() || weight.shape()[1] > shape[1]) return std::nullopt;
  narrowed[1] = weight.shape()[1];
  if (narrowed != weight.shape()) return std::nullopt;
  const auto outputs = static_cast<size_t>(shape[0]), from = weight.floats().size() / outputs;
  const auto to = static_cast<size_t>(ElementCount(shape)) / outputs;
  std::vector<float> values(outputs * to);
  for (size_t j = 0; j < outputs; ++j) std::copy_n(weight.floats().data() + j * from, from, values.data() + j * to);
  return Tensor::FromFloats(shape, values);
}

std::optional<FloatLayer> FloatLayerOf(const Graph& reference, const Node& node, const CodedLayer& coded) {
  const Tensor* weight = reference.Initializer(node.input(1));
  if (weight == nullptr || weight->type() != DataType::kFloat) return std::nullopt;
  const bool turned = coded.weight.packed_bits > 0 && node.Is("Gemm") && node.Int("transB", 0) != 0;
  std::optional<Tensor> widened = Widened(turned ? TransposedMatrix(*weight) : *weight, coded.weight.values.shape());
  if (!widened) return std::nullopt;
  FloatLayer layer{.weight = *std::move(widened), .bias = std::vector<float>(coded.form.groups * coded.form.outputs)};
  if (node.input(2).empty()) return layer;
  const Tensor* bias = reference.Initializer(node.input(2));
  const bool fits = bias != nullptr && static_cast<size_t>(bias->count()) == layer.bias.size();
  if (!fits || node.Float("beta", 1) != 1) return std::nullopt;
  std::ranges::copy(bias->floats(), layer.bias.begin());
  return layer;
}

void DivideColumns(const std::vector<float>& factors, Matrix& rows) {
  for (size_t p = 0; p < rows.rows(); ++p) {
    for (size_t j = 0; j < factors.size(); ++j) rows.at(p, j) /= factors[j];
  }
}

void Divide(const DividedChannels& channels, std::vector<MatchedLayer>& layers) {
  for (MatchedLayer& layer : layers) {
    FloatLayer& in_float = layer.in_float;
    if (layer.float_node->name == channels.writer) {
      in_float.weight = WithOutputsDivided(in_float.weight, channels.factors);
      for (size_t j = 0; j < in_float.bias.size(); ++j) in_float.bias[j] /= channels.factors[j];
      in_float.divided = channels.factors;
    } else if (layer.float_node->input(0) == channels.tensor) {
      in_float.weight = WithInputsMultiplied(*layer.float_node, in_float.weight, channels.factors);
    }
  }
}

}  // namespace

std::vector<MatchedLayer> MatchLayers(const Graph& quantized, const FloatReference& reference,
                                      std::vector<std::string>& left_out) {
  const Graph& graph = reference.model.graph;
  std::vector<MatchedLayer> layers;
  for (const auto& node : quantized.nodes()) {
    if (!HasCodes(quantized, *node)) continue;
    std::optional<CodedLayer> coded = CodedLayerOf(quantized, *node);
    // Those of MatMulNBits have other names, but the same outputs.
    const Node* float_node = IsNBits(*node) ? graph.Producer(node->output()) : graph.FindNode(node->name);
    const bool fits = float_node != nullptr && (IsNBits(*node) ? float_node->Is("MatMul") || float_node->Is("Gemm")
                                                               : float_node->op_type == node->op_type);
    const bool same = coded && fits;
    std::optional<FloatLayer> in_float = same ? FloatLayerOf(graph, *float_node, *coded) : std::nullopt;
    if (in_float)
      layers.push_back({node->name, std::move(*coded), std::move(*in_float), float_node, {}});
    else
      left_out.push_back(node->name);
  }
  for (const DividedChannels& channels : reference.divided) Divide(channels, layers);
  return layers;
}

Status SetTargets(const Model& reference, const RowCount& rows, std::span<MatchedLayer> layers, size_t count,
                  size_t most_bytes, LiveRuns& live) {
  const std::span chosen = layers.first(count), behind = layers.subspan(count);
  std::set<std::string> wanted;
  for (MatchedLayer& layer : chosen) {
    wanted.insert(layer.float_node->output());
    layer.targets = {};
    layer.targets.places.resize(live.runs());
    layer.targets.shapes.resize(live.runs());
    layer.targets.rows.resize(live.runs());
  }
  const SeeRun see = [&](size_t run, const std::map<std::string, Tensor>& tensors) {
    for (MatchedLayer& layer : chosen) {
      const Tensor& output = tensors.at(layer.float_node->output());
      const int64_t wanted_rows = rows.For(layer.coded.form.inputs);
      LayerTargets& targets = layer.targets;
      targets.places[run] = PlacesOf(*layer.float_node, output.shape(), live.FirstSample(run),
                                     (wanted_rows + live.samples() - 1) / live.samples());
      targets.shapes[run] = output.shape();
      targets.rows[run] = OutputRows(*layer.float_node, output, targets.places[run]);
      DivideColumns(layer.in_float.divided, targets.rows[run]);
    }
    return Status::Ok();
  };
  // The layers' order is that of the quantized model; the float model may have another.
  const auto is_behind = [&](const auto& node) {
    return std::ranges::find(behind, node.get(), &MatchedLayer::float_node) != behind.end();
  };
  const auto next = std::ranges::find_if(reference.graph.nodes(), is_behind);
  if (next == reference.graph.nodes().end()) return live.Run(reference, wanted, AllRuns(live.runs()), see);
  return live.GoOn(reference, AliveBefore(reference.graph, **next), most_bytes, wanted, see);
}

}  // namespace preon
