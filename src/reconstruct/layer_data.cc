#include "reconstruct/layer_data.h"

#include <algorithm>

#include "formats/int_format.h"
#include "reconstruct/saturation.h"
#include "reconstruct/segment.h"
#include "solver/dense.h"

namespace preon {
namespace {

constexpr size_t kRunsAtOnce = 4;  // their rows are in memory together

// Of some runs: for each group the rows of all of them, those of runs that codes are fitted to first.
struct RowLayout {
  std::vector<size_t> first;  ///< of each run, in each group
  size_t fitted = 0, judging_first = 0, all = 0;
};

RowLayout LayOut(const LiveRuns& live, const LayerTargets& targets, size_t begin, size_t end) {
  RowLayout layout{.first = std::vector<size_t>(end - begin)};
  const auto place = [&](size_t run) {
    layout.first[run - begin] = layout.all;
    layout.all += targets.places[run].size();
  };
  for (size_t run = begin; run < end; ++run)
    if (live.Fits(run)) place(run);
  layout.fitted = layout.all;
  const bool all_judge = live.Judges(begin) && live.Fits(begin);
  layout.judging_first = all_judge ? 0 : layout.fitted;
  for (size_t run = begin; run < end; ++run)
    if (!live.Fits(run)) place(run);
  return layout;
}

// Targets of one group less the layer's bias. A coarse bias is among the weights; `fine_bias` is empty then.
void SubtractBias(const std::vector<float>& fine_bias, const Matrix& targets, size_t first_output, MatrixView missing) {
  for (size_t p = 0; p < targets.rows(); ++p) {
    for (size_t j = 0; j < missing.columns; ++j)
      missing.row(p)[j] = targets.at(p, first_output + j) - (fine_bias.empty() ? 0 : fine_bias[first_output + j]);
  }
}

// For the rows of all groups. A coarse bias is the weight of one more input, which is always 1.
void MakeRoom(const CodedLayer& layer, size_t rows, Matrix& inputs) {
  inputs.SetRows(rows);
  for (size_t p = 0; layer.bias && p < rows; ++p) inputs.at(p, layer.form.inputs) = 1;
}

// What codes of the layer's input mean; nothing of interest where it is float.
QuantParams InputParams(const Graph& graph, const std::string& input) {
  const Node* dequantizer = graph.Producer(input);
  if (dequantizer == nullptr || dequantizer->op_type != "DequantizeLinear") return {};
  const Tensor* scale = graph.Initializer(dequantizer->input(1));
  const Tensor* zero = graph.Initializer(dequantizer->input(2));
  if (scale == nullptr || scale->type() != DataType::kFloat) return {};
  const int64_t zero_point =
      zero == nullptr ? 0 : static_cast<int64_t>(DecodeTensor({.codes = *zero, .params = {QuantParams()}}).floats()[0]);
  return {scale->floats()[0], zero_point};
}

}  // namespace

Result<LayerData> CollectLayer(const Model& quantized, const CodedLayer& layer, const FloatLayer& float_layer,
                               const LayerTargets& targets, const LiveRuns& live, const RunContext& context) {
  const Graph& graph = quantized.graph;
  const LayerForm& form = layer.form;
  const std::string& input = layer.node->input(0);
  const QuantParams params = InputParams(graph, input);
  const bool takes_means = !layer.bias && HasBias(graph, *layer.node, form.groups * form.outputs);
  const std::vector<float> fine_bias = layer.bias ? std::vector<float>() : float_layer.bias;
  const Saturation saturation(graph, layer, float_layer);
  const ParallelFor parallel_for = OnThreads(static_cast<size_t>(context.ThreadCount()));
  LayerData data;
  for (size_t group = 0; group < form.groups; ++group) {
    data.fitted.emplace_back(layer.inputs(), form.outputs, takes_means);
    data.judging.emplace_back(layer.inputs(), form.outputs, takes_means);
  }
  Matrix inputs(0, layer.inputs()), missing(0, form.outputs);  // reused: new memory costs page faults
  for (size_t begin = 0; begin < live.runs(); begin += kRunsAtOnce) {
    const size_t end = std::min(begin + kRunsAtOnce, live.runs());
    const RowLayout layout = LayOut(live, targets, begin, end);
    MakeRoom(layer, form.groups * layout.all, inputs);
    missing.SetRows(form.groups * layout.all);
    std::vector<size_t> runs;
    for (size_t run = begin; run < end; ++run) runs.push_back(run);
    const SeeRun read = [&](size_t run, const std::map<std::string, Tensor>& tensors) {
      const size_t first = layout.first[run - begin], count = targets.places[run].size();
      InputRows(*layer.node, form, {tensors.begin()->second, params}, targets.places[run], targets.shapes[run],
                {inputs.view().Rows(first, inputs.rows() - first), layout.all});
      for (size_t group = 0; group < form.groups; ++group)
        SubtractBias(fine_bias, targets.rows[run], group * form.outputs,
                     missing.view().Rows(group * layout.all + first, count));
      return Status::Ok();
    };
    PREON_RETURN_IF_ERROR(live.Run(quantized, {StoredAs(graph, input)}, runs, read));
    std::vector<const float*> target_rows(layout.all);
    for (const size_t run : runs) {
      for (size_t p = 0; p < targets.places[run].size(); ++p)
        target_rows[layout.first[run - begin] + p] = targets.rows[run].row(p);
    }
    const auto add = [&](size_t group, const ParallelFor& inside) {
      const MatrixView x = inputs.view().Rows(group * layout.all, layout.all);
      const MatrixView m = missing.view().Rows(group * layout.all, layout.all);
      AddProduct(x, WeightsOf(layer, float_layer.weight, float_layer.bias, group).view(), -1, m);
      if (saturation.has_limits()) saturation.Relax(group, x, target_rows, m);
      data.fitted[group].Add(x.Rows(0, layout.fitted), m.Rows(0, layout.fitted), inside);
      const size_t judging = layout.all - layout.judging_first;
      data.judging[group].Add(x.Rows(layout.judging_first, judging), m.Rows(layout.judging_first, judging), inside);
    };
    if (form.groups == 1)
      add(0, parallel_for);
    else
      parallel_for(form.groups, [&](size_t group) { add(group, {}); });
  }
  return data;
}

}  // namespace preon
