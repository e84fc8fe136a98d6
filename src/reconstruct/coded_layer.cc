#include "reconstruct/coded_layer.h"
#include "quantize/params/product_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/int_format.h"
#include "formats/nbits_weight.h"
#include "formats/quark_operators.h"
#include "quantize/read/stored_codes.h"

namespace preon {
namespace {

const Node* Dequantizer(const Graph& graph, const std::string& tensor) {
  const Node* node = graph.Producer(tensor);
  return node != nullptr && node->op_type == "DequantizeLinear" ? node : nullptr;
}

Tensor CodesAsFloats(const Tensor& codes) { return DecodeTensor({.codes = codes, .params = {{1, 0}}}); }

std::vector<QuantParams> ParamsOf(const Graph& graph, const Node& dequantizer) {
  const Tensor* scales = graph.Initializer(dequantizer.input(1));
  const Tensor* zero_points = graph.Initializer(dequantizer.input(2));
  if (scales == nullptr || scales->type() != DataType::kFloat) return {};
  if (!dequantizer.input(2).empty() && (zero_points == nullptr || !IsIntType(zero_points->type()))) return {};
  std::vector<QuantParams> params;
  for (const float scale : scales->floats()) params.push_back({.scale = scale});
  if (zero_points != nullptr) {
    const Tensor zeros = CodesAsFloats(*zero_points);
    for (size_t i = 0; i < params.size(); ++i) params[i].zero_point = static_cast<int64_t>(zeros.floats()[i]);
  }
  return params;
}

// Which of the params an element of the weight has.
size_t ParamOf(const CodedWeight& weight, size_t element) {
  if (weight.params.size() == 1) return 0;
  const Shape& shape = weight.values.shape();
  size_t inner = 1;
  for (size_t axis = static_cast<size_t>(weight.axis) + 1; axis < shape.size(); ++axis)
    inner *= static_cast<size_t>(shape[axis]);
  const auto extent = static_cast<size_t>(shape[static_cast<size_t>(weight.axis)]);
  const size_t index = element / inner % extent;
  if (weight.block_size == 0) return index;
  const auto block = static_cast<size_t>(weight.block_size), blocks = (extent + block - 1) / block;
  return (element / inner / extent * blocks + index / block) * inner + element % inner;
}

// Of the elements that share one: how many inputs follow each other.
size_t InputsPerParam(const CodedLayer& layer) {
  const CodedWeight& weight = layer.weight;
  if (weight.params.size() == 1) return layer.form.inputs;
  const bool along_outputs = weight.axis == (layer.form.output_major ? 0 : 1);
  if (along_outputs && weight.block_size == 0) return layer.form.inputs;
  const bool is_matrix = weight.values.shape().size() == 2;
  return is_matrix && weight.block_size > 0 && !along_outputs ? static_cast<size_t>(weight.block_size) : 1;
}

// As a matrix [K, N], whose blocks run along K.
std::optional<CodedLayer> NBitsLayerOf(const Graph& graph, const Node& node) {
  const Tensor* scales = graph.Initializer(node.input(2));
  const Tensor* zero_points = graph.Initializer(node.input(3));
  const int64_t rows = node.Int("K", 0), columns = node.Int("N", 0), block_size = node.Int("block_size", 0);
  const auto bits = static_cast<int>(node.Int("bits", 4));
  const bool integers = node.input(3).empty() || (zero_points != nullptr && zero_points->type() == DataType::kUInt8);
  if (scales == nullptr || scales->type() != DataType::kFloat || !integers || graph.UseCount(node.input(1)) != 1)
    return std::nullopt;
  const auto inputs = static_cast<size_t>(rows), outputs = static_cast<size_t>(columns);
  return CodedLayer{.node = &node,
                    .form = {.inputs = inputs, .outputs = outputs, .output_major = false, .weight = {rows, columns}},
                    .weight = {.codes = node.input(1),
                               .values = UnpackNBitsCodes(*graph.Initializer(node.input(1)), rows, bits),
                               .most = static_cast<float>((1 << bits) - 1),
                               .params = UnpackNBitsParams(*scales, zero_points, columns, bits),
                               .axis = 0,
                               .block_size = block_size,
                               .packed_bits = bits}};
}

size_t BiasInput(const Node& node) { return IsNBits(node) ? 5 : 2; }

// Where the node has a bias of 8 bits that can change.
std::optional<CoarseBias> CoarseBiasOf(const Graph& graph, const Node& node, const LayerForm& form) {
  const size_t outputs = form.groups * form.outputs;
  const Node* dequantizer = HasBias(graph, node, outputs) ? Dequantizer(graph, node.input(BiasInput(node))) : nullptr;
  const Tensor* codes = dequantizer == nullptr ? nullptr : graph.Initializer(dequantizer->input(0));
  if (codes == nullptr || codes->type() != DataType::kInt8) return std::nullopt;
  const std::vector<QuantParams> params = ParamsOf(graph, *dequantizer);
  const Tensor values = CodesAsFloats(*codes);
  CoarseBias bias{.codes = std::vector<float>(values.floats().begin(), values.floats().end())};
  for (size_t j = 0; j < outputs; ++j) bias.scales.push_back(params[params.size() == 1 ? 0 : j].scale);
  return bias;
}

}  // namespace

std::optional<LayerForm> FormOfLayer(const Node& node, const Shape& weight) {
  if (node.Is("Conv")) {
    LayerForm form{.groups = static_cast<size_t>(node.Int("group", 1)), .inputs = 1, .weight = weight};
    form.outputs = static_cast<size_t>(weight[0]) / form.groups;
    for (size_t axis = 1; axis < weight.size(); ++axis) form.inputs *= static_cast<size_t>(weight[axis]);
    return form;
  }
  const bool is_gemm = node.Is("Gemm") && node.Int("transA", 0) == 0 && node.Float("alpha", 1) == 1;
  if (weight.size() != 2 || !(is_gemm || node.Is("MatMul"))) return std::nullopt;
  const bool output_major = is_gemm && node.Int("transB", 0) != 0;
  const auto rows = static_cast<size_t>(weight[0]), columns = static_cast<size_t>(weight[1]);
  return LayerForm{.inputs = output_major ? columns : rows,
                   .outputs = output_major ? rows : columns,
                   .output_major = output_major,
                   .weight = weight};
}

bool IsNBits(const Node& node) { return node.op_type == "MatMulNBits" && node.domain == kContribDomain; }

bool HasCodes(const Graph& graph, const Node& node) {
  if (IsNBits(node)) return graph.Initializer(node.input(1)) != nullptr;
  if (!node.Is("Conv") && !node.Is("Gemm") && !node.Is("MatMul")) return false;
  const Node* dequantizer = Dequantizer(graph, node.input(1));
  const Tensor* codes = dequantizer == nullptr ? nullptr : graph.Initializer(dequantizer->input(0));
  return codes != nullptr && IsIntType(codes->type());
}

std::optional<CodedLayer> CodedLayerOf(const Graph& graph, const Node& node) {
  if (!HasCodes(graph, node)) return std::nullopt;
  if (IsNBits(node)) return NBitsLayerOf(graph, node);
  const Node* dequantizer = Dequantizer(graph, node.input(1));
  const Tensor* codes = graph.Initializer(dequantizer->input(0));
  const std::optional<LayerForm> form = FormOfLayer(node, codes->shape());
  const bool alone = graph.UseCount(node.input(1)) == 1 && graph.UseCount(dequantizer->input(0)) == 1;
  if (!form || !alone) return std::nullopt;
  CodedWeight weight{.codes = dequantizer->input(0),
                     .values = CodesAsFloats(*codes),
                     .params = ParamsOf(graph, *dequantizer),
                     .block_size = dequantizer->Int("block_size", 0)};
  if (weight.params.empty()) return std::nullopt;
  // Those that the writer has used tell which there are: all of the type, without the lowest, or seven bits.
  const auto [least, most] = std::ranges::minmax(weight.values.floats());
  weight.least = least;
  weight.most = most;
  const auto rank = static_cast<int64_t>(codes->shape().size()), axis = dequantizer->Int("axis", 1);
  if (weight.params.size() > 1) weight.axis = static_cast<int>(axis < 0 ? axis + rank : axis);
  return CodedLayer{&node, *form, std::move(weight), CoarseBiasOf(graph, node, *form)};
}

CodeGrids GridsOf(const CodedLayer& layer, size_t group, OutputRange some) {
  const float least = layer.weight.least, most = layer.weight.most;
  CodeGrids grids{.inputs_per_grid = InputsPerParam(layer), .outputs = some.count};
  for (size_t i = 0; i < layer.form.inputs; i += grids.inputs_per_grid) {
    for (size_t j = some.first; j < some.first + some.count; ++j) {
      const QuantParams& params = layer.weight.params[ParamOf(layer.weight, layer.form.IndexOf(group, i, j))];
      const auto zero = static_cast<float>(params.zero_point);
      // A block of zeros has scale 0.
      const bool fixed = params.scale == 0;
      grids.grids.push_back(
          {.scale = fixed ? 1 : params.scale, .least = fixed ? 0 : least - zero, .most = fixed ? 0 : most - zero});
    }
  }
  for (size_t j = some.first; layer.bias && j < some.first + some.count; ++j) {
    const float scale = layer.bias->scales[group * layer.form.outputs + j];
    grids.grids.push_back({.scale = scale, .least = -layer.bias->most, .most = layer.bias->most});
  }
  return grids;
}

Matrix WeightsOf(const LayerForm& form, const Tensor& weight, size_t group, OutputRange some) {
  Matrix weights(form.inputs, some.count);
  const float* values = weight.floats().data();
  for (size_t i = 0; i < form.inputs; ++i) {
    for (size_t j = 0; j < some.count; ++j) weights.at(i, j) = values[form.IndexOf(group, i, some.first + j)];
  }
  return weights;
}

Matrix WeightsOf(const CodedLayer& layer, const FloatLayer& of, size_t group, OutputRange some) {
  Matrix weights = WeightsOf(layer.form, of.weight, group, some);
  if (!layer.bias) return weights;
  weights.SetRows(layer.inputs());
  std::copy_n(of.bias.data() + group * layer.form.outputs + some.first, some.count, weights.row(layer.form.inputs));
  return weights;
}

Matrix CodesOf(const CodedLayer& layer, size_t group, OutputRange some) {
  const FloatLayer of{layer.weight.values, layer.bias ? layer.bias->codes : std::vector<float>(), {}};
  Matrix codes = WeightsOf(layer, of, group, some);
  for (size_t i = 0; i < layer.form.inputs; ++i) {
    for (size_t j = 0; j < codes.columns(); ++j) {
      const size_t element = layer.form.IndexOf(group, i, some.first + j);
      codes.at(i, j) -= static_cast<float>(layer.weight.params[ParamOf(layer.weight, element)].zero_point);
    }
  }
  return codes;
}

void WriteCodes(Graph& graph, const CodedLayer& layer, const std::vector<Matrix>& codes) {
  std::vector<float> values(layer.weight.values.floats().size());
  for (size_t group = 0; group < codes.size(); ++group) {
    for (size_t i = 0; i < layer.form.inputs; ++i) {
      for (size_t j = 0; j < layer.form.outputs; ++j) {
        const size_t element = layer.form.IndexOf(group, i, j);
        const int64_t zero_point = layer.weight.params[ParamOf(layer.weight, element)].zero_point;
        values[element] = codes[group].at(i, j) + static_cast<float>(zero_point);
      }
    }
  }
  if (layer.weight.packed_bits > 0) {
    const Tensor all = Tensor::FromFloats(layer.form.weight, values);
    return graph.SetInitializer(layer.weight.codes,
                                PackNBitsCodes(all, layer.weight.block_size, layer.weight.packed_bits));
  }
  const Tensor& old = *graph.Initializer(layer.weight.codes);
  // What is right on every x86 processor stays so; models with coarse biases are for others.
  if (!layer.bias && old.type() == DataType::kInt8 &&
      ProductPairsFit(*layer.node, old.shape(), layer.weight.values.floats()))
    PullProductPairs(*layer.node, old.shape(), values);
  Result<EncodedTensor> encoded =
      EncodeTensor(Tensor::FromFloats(old.shape(), values), {QuantParams()}, -1, {.type = old.type()});
  PREON_CHECK(encoded.ok());
  graph.SetInitializer(layer.weight.codes, encoded->codes);
}

bool HasBias(const Graph& graph, const Node& node, size_t outputs) {
  const std::string& bias = node.input(BiasInput(node));
  if (bias.empty() || node.Float("beta", 1) != 1) return false;
  const Node* dequantizer = Dequantizer(graph, bias);
  const std::string& constant = dequantizer == nullptr ? bias : dequantizer->input(0);
  const Tensor* values = graph.Initializer(constant);
  if (values == nullptr || graph.UseCount(bias) != 1 || graph.UseCount(constant) != 1) return false;
  if (static_cast<size_t>(values->count()) != outputs) return false;
  if (dequantizer == nullptr) return values->type() == DataType::kFloat;
  const bool integers = values->type() == DataType::kInt32 || values->type() == DataType::kInt8;
  const std::vector<QuantParams> params = integers ? ParamsOf(graph, *dequantizer) : std::vector<QuantParams>();
  return !params.empty() && std::ranges::all_of(params, [](const QuantParams& of) { return of.zero_point == 0; });
}

std::optional<std::vector<float>> BiasValues(const Graph& graph, const Node& node, size_t outputs) {
  const std::string& bias = node.input(BiasInput(node));
  if (bias.empty()) return std::vector<float>(outputs);
  const Node* dequantizer = Dequantizer(graph, bias);
  const Tensor* stored = graph.Initializer(dequantizer == nullptr ? bias : dequantizer->input(0));
  if (stored == nullptr || (dequantizer == nullptr && stored->type() != DataType::kFloat)) return std::nullopt;
  const Tensor values = dequantizer == nullptr ? *stored : DecodedValues(*stored, CodesAt(graph, *dequantizer));
  if (static_cast<size_t>(values.count()) != outputs || node.Float("beta", 1) != 1) return std::nullopt;
  return std::vector<float>(values.floats().begin(), values.floats().end());
}

void SetBias(Graph& graph, const Node& node, const std::vector<double>& bias) {
  const std::string& own = node.input(BiasInput(node));
  const Node* dequantizer = Dequantizer(graph, own);
  const std::string constant = dequantizer == nullptr ? own : dequantizer->input(0);
  const Shape shape = graph.Initializer(constant)->shape();
  if (dequantizer == nullptr) {
    const std::vector<float> values(bias.begin(), bias.end());
    return graph.SetInitializer(constant, Tensor::FromFloats(shape, values));
  }
  const std::vector<QuantParams> params = ParamsOf(graph, *dequantizer);
  std::vector<int32_t> codes(bias.size());
  const DataType type = graph.Initializer(constant)->type();
  const auto most = type == DataType::kInt8 ? 127.0 : double{std::numeric_limits<int32_t>::max()};
  for (size_t j = 0; j < bias.size(); ++j) {
    const double code = std::nearbyint(bias[j] / double{params[params.size() == 1 ? 0 : j].scale});
    codes[j] = static_cast<int32_t>(std::clamp(code, -most, most));
  }
  if (type == DataType::kInt8) {
    const std::vector<int8_t> bytes(codes.begin(), codes.end());
    return graph.SetInitializer(constant, Tensor::From<int8_t>(type, shape, bytes));
  }
  graph.SetInitializer(constant, Tensor::From<int32_t>(DataType::kInt32, shape, codes));
}

}  // namespace preon
