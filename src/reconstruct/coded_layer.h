// CodedLayer: a Conv, Gemm, MatMul or MatMulNBits of a quantized model whose weight is codes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "formats/int_format.h"
#include "ir/graph.h"
#include "solver/code_problem.h"

namespace preon {

/// Some outputs of a group, one after the other.
struct OutputRange {
  size_t first, count;
};

/// What a linear layer computes: for each group, rows of `inputs` values times [inputs, outputs].
struct LayerForm {
  size_t groups = 1, inputs = 0, outputs = 0;  ///< per group
  bool output_major = true;  ///< the weight lies as [groups · outputs, inputs], else as [inputs, outputs]
  Shape weight;

  OutputRange all() const { return {0, outputs}; }
  size_t IndexOf(size_t group, size_t input, size_t output) const {
    return output_major ? (group * outputs + output) * inputs + input : input * outputs + output;
  }
};

/// Nullopt for what is not linear in a constant weight or has attributes that rows do not follow (transA, alpha,
/// beta).
std::optional<LayerForm> FormOfLayer(const Node& node, const Shape& weight);

/// The weight's codes and what they mean.
struct CodedWeight {
  std::string codes;          ///< initializer
  Tensor values;              ///< float, one per code: the codes themselves
  float least = 0, most = 0;  ///< of the codes that there are
  std::vector<QuantParams> params;
  int axis = -1;
  int64_t block_size = 0;
  int packed_bits = 0;  ///< of MatMulNBits; 0: codes of a DequantizeLinear
};

/// A bias of 8 bits: what its codes miss is as large as what those of weights miss.
struct CoarseBias {
  std::vector<float> codes, scales;  ///< one per output of all groups; codes are -most … most
  float most = 127;
};

struct CodedLayer {
  const Node* node = nullptr;
  LayerForm form;
  CodedWeight weight;
  std::optional<CoarseBias> bias = {};

  /// Of one group. A coarse bias is one more, behind the others: a weight of an input that is always 1.
  size_t inputs() const { return form.inputs + (bias ? 1 : 0); }
  /// Fewer than 32 codes are used.
  bool has_few_codes() const { return CodeGrid{1, weight.least, weight.most}.has_few_codes(); }
};

/// The float layer, with what the quantized model has divided.
struct FloatLayer {
  Tensor weight;
  std::vector<float> bias;     ///< one per output
  bool keeps_bias = false;     ///< `bias` is what the quantized layer has, and stays
  std::vector<float> divided;  ///< what each output of the float model is divided by; empty: nothing
};

/// Is it a MatMulNBits, or a Conv, Gemm or MatMul whose input 1 a DequantizeLinear makes of constant codes?
bool IsNBits(const Node& node);
bool HasCodes(const Graph& graph, const Node& node);
/// Nullopt where HasCodes is false, FormOfLayer knows no form, others share the codes, or zero points are no integers.
std::optional<CodedLayer> CodedLayerOf(const Graph& graph, const Node& node);

/// The grids of one group's inputs and of some of its outputs.
CodeGrids GridsOf(const CodedLayer& layer, size_t group, OutputRange some);
/// Of a float weight in the layer's form: [inputs, some outputs].
Matrix WeightsOf(const LayerForm& form, const Tensor& weight, size_t group, OutputRange some);
/// The same with the bias as one more row where it is coarse: [CodedLayer::inputs(), some outputs].
Matrix WeightsOf(const CodedLayer& layer, const FloatLayer& of, size_t group, OutputRange some);
/// Codes that count from the zero point, one matrix per group, into the graph.
void WriteCodes(Graph& graph, const CodedLayer& layer, const std::vector<Matrix>& codes);
/// The codes in the graph, counted from the zero point.
Matrix CodesOf(const CodedLayer& layer, size_t group, OutputRange some);

/// Has the node a bias, one value for each of so many outputs, that SetBias can change?
bool HasBias(const Graph& graph, const Node& node, size_t outputs);
/// One value for each of so many outputs, zeros where it has none; nullopt: it is not constant.
std::optional<std::vector<float>> BiasValues(const Graph& graph, const Node& node, size_t outputs);
/// Float, or codes with the scales that they have.
void SetBias(Graph& graph, const Node& node, const std::vector<double>& bias);

}  // namespace preon
