#include "reconstruct/layer_data.h"

#include <algorithm>

#include "formats/int_format.h"
#include "reconstruct/segment.h"
#include "solver/dense.h"

namespace preon {
namespace {

constexpr size_t kRunsAtOnce = 16;  // their rows are in memory together

struct GroupRows {
  Matrix inputs, missing;
};

// What the float layer lacks to its targets where it reads `inputs`. A coarse bias is among the weights.
Matrix Missing(const Matrix& inputs, const Matrix& weights, const std::vector<float>& fine_bias, const Matrix& targets,
               size_t first_output) {
  Matrix missing(inputs.rows(), weights.columns());
  for (size_t p = 0; p < missing.rows(); ++p) {
    for (size_t j = 0; j < missing.columns(); ++j)
      missing.at(p, j) = targets.at(p, first_output + j) - (fine_bias.empty() ? 0 : fine_bias[first_output + j]);
  }
  AddProduct(inputs.view(), weights.view(), -1, missing.view());
  return missing;
}

// The layer's input as floats, whether it or its codes are at hand.
Tensor InputValues(const Graph& graph, const std::string& input, const Tensor& stored) {
  if (stored.type() == DataType::kFloat) return stored;
  const Node* dequantizer = graph.Producer(input);
  const Tensor* scale = graph.Initializer(dequantizer->input(1));
  const Tensor* zero = graph.Initializer(dequantizer->input(2));
  const int64_t zero_point =
      zero == nullptr ? 0 : static_cast<int64_t>(DecodeTensor({.codes = *zero, .params = {QuantParams()}}).floats()[0]);
  return DecodeTensor({.codes = stored, .params = {{scale->floats()[0], zero_point}}});
}

}  // namespace

Result<LayerData> CollectLayer(const Model& quantized, const CodedLayer& layer, const FloatLayer& float_layer,
                               const LayerTargets& targets, const LiveRuns& live, const RunContext& context) {
  const Graph& graph = quantized.graph;
  const LayerForm& form = layer.form;
  const std::string& input = layer.node->input(0);
  const size_t coarse = layer.bias ? 1 : 0;
  const bool takes_means = coarse == 0 && HasBias(graph, *layer.node, form.groups * form.outputs);
  const ParallelFor parallel_for = OnThreads(static_cast<size_t>(context.ThreadCount()));
  const std::vector<float> fine_bias = layer.bias ? std::vector<float>() : float_layer.bias;
  std::vector<Matrix> weights;
  LayerData data;
  for (size_t group = 0; group < form.groups; ++group) {
    weights.push_back(WeightsOf(layer, float_layer.weight, float_layer.bias, group));
    data.fitted.emplace_back(layer.inputs(), form.outputs, takes_means);
    data.judging.emplace_back(layer.inputs(), form.outputs, takes_means);
  }
  for (size_t begin = 0; begin < live.runs(); begin += kRunsAtOnce) {
    const size_t end = std::min(begin + kRunsAtOnce, live.runs());
    std::vector<std::vector<GroupRows>> rows(end - begin);
    std::vector<size_t> runs;
    for (size_t run = begin; run < end; ++run) runs.push_back(run);
    const SeeRun read = [&](size_t run, const std::map<std::string, Tensor>& tensors) {
      const Tensor values = InputValues(graph, input, tensors.begin()->second);
      std::vector<Matrix> inputs =
          InputRows(*layer.node, form, values, targets.places[run], targets.shapes[run], coarse);
      for (size_t group = 0; group < form.groups; ++group) {
        Matrix missing = Missing(inputs[group], weights[group], fine_bias, targets.rows[run], group * form.outputs);
        rows[run - begin].push_back({std::move(inputs[group]), std::move(missing)});
      }
      return Status::Ok();
    };
    PREON_RETURN_IF_ERROR(live.Run(quantized, {StoredAs(graph, input)}, runs, read));
    const auto add = [&](size_t group, const ParallelFor& inside) {
      for (size_t run = begin; run < end; ++run) {
        const auto& [inputs, missing] = rows[run - begin][group];
        if (live.Fits(run)) data.fitted[group].Add(inputs.view(), missing.view(), inside);
        if (live.Judges(run)) data.judging[group].Add(inputs.view(), missing.view(), inside);
      }
    };
    if (form.groups == 1)
      add(0, parallel_for);
    else
      parallel_for(form.groups, [&](size_t group) { add(group, {}); });
  }
  return data;
}

}  // namespace preon
