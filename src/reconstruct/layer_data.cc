#include "reconstruct/layer_data.h"

#include <algorithm>

#include "formats/int_format.h"
#include "reconstruct/saturation.h"
#include "reconstruct/segment.h"
#include "solver/dense.h"

namespace preon {
namespace {

// Whose rows are in memory together: so many runs, and more where these have few rows.
constexpr size_t kRunsAtOnce = 4, kRowsAtOnce = 512;
constexpr size_t kMostJudgingElements = size_t{4} << 20;  // of inputs of all groups, for the error behind limits

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
void SubtractBias(const std::vector<float>& fine_bias, const Matrix& targets, size_t first_output, size_t outputs,
                  MatrixView missing) {
  for (size_t p = 0; p < targets.rows(); ++p) {
    for (size_t j = 0; j < outputs; ++j)
      missing.row(p)[j] = targets.at(p, first_output + j) - (fine_bias.empty() ? 0 : fine_bias[first_output + j]);
  }
}

size_t JudgingPlaces(const LiveRuns& live, const LayerTargets& targets) {
  size_t places = 0;
  for (size_t run = 0; run < live.runs(); ++run) places += live.Judges(run) ? targets.places[run].size() : 0;
  return places;
}

size_t EndOfRunsAtOnce(const LiveRuns& live, const LayerTargets& targets, size_t begin) {
  size_t end = begin, rows = 0;
  while (end < live.runs() && (end < begin + kRunsAtOnce || rows < kRowsAtOnce)) rows += targets.places[end++].size();
  return end;
}

// Every `step`-th row of the runs that judge.
class RowsToJudge {
 public:
  /// @param places  of the runs that judge
  RowsToJudge(size_t places, const CodedLayer& layer, const Range& limits)
      : outputs_(layer.form.outputs), limits_(limits) {
    const size_t elements = layer.form.groups * layer.inputs() * places;
    step_ = std::max<size_t>((elements + kMostJudgingElements - 1) / kMostJudgingElements, 1);
    const size_t kept = (places + step_ - 1) / step_;
    rows_.assign(layer.form.groups, {Matrix(kept, layer.inputs()), Matrix(kept, outputs_)});
  }

  /// Rows of one group that follow `first` others. @param targets  of each row, all groups
  void Add(size_t group, size_t first, ConstMatrixView inputs, std::span<const float* const> targets) {
    for (size_t p = 0; p < inputs.rows; ++p) {
      if ((first + p) % step_ != 0) continue;
      const size_t at = (first + p) / step_;
      std::copy_n(inputs.row(p), inputs.columns, rows_[group].inputs.row(at));
      for (size_t j = 0; j < outputs_; ++j)
        rows_[group].targets.at(at, j) = std::clamp(targets[p][group * outputs_ + j], limits_.min, limits_.max);
    }
  }
  std::vector<JudgingRows> Take() { return std::move(rows_); }

 private:
  size_t outputs_, step_;
  Range limits_;
  std::vector<JudgingRows> rows_;
};

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
  const bool takes_means =
      !layer.bias && !float_layer.keeps_bias && HasBias(graph, *layer.node, form.groups * form.outputs);
  const std::vector<float> fine_bias = layer.bias ? std::vector<float>() : float_layer.bias;
  const Saturation saturation(graph, layer, float_layer);
  const ParallelFor parallel_for = OnThreads(static_cast<size_t>(context.ThreadCount()));
  LayerData data{.ways = saturation.ways(), .limits = saturation.limits()};
  const size_t judging_places = JudgingPlaces(live, targets);
  for (size_t group = 0; group < form.groups; ++group) {
    data.fitted.emplace_back(layer.inputs(), data.ways * form.outputs, takes_means);
    data.judging.emplace_back(layer.inputs(), data.ways * form.outputs, takes_means, judging_places);
  }
  std::optional<RowsToJudge> rows;
  if (saturation.judges()) rows.emplace(judging_places, layer, data.limits);
  size_t judged = 0;
  Matrix inputs(0, layer.inputs()), missing(0, data.ways * form.outputs);  // reused: new memory costs page faults
  for (size_t begin = 0, end = 0; begin < live.runs(); begin = end) {
    end = EndOfRunsAtOnce(live, targets, begin);
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
        SubtractBias(fine_bias, targets.rows[run], group * form.outputs, form.outputs,
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
      const MatrixView first_way = m.Columns(0, form.outputs);
      ForColumns(form.outputs, inside, [&](size_t first, size_t count) {
        AddProduct(x, WeightsOf(layer, float_layer, group, {first, count}).view(), -1, first_way.Columns(first, count));
      });
      saturation.Relax(group, x, target_rows, m);
      data.fitted[group].Add(x.Rows(0, layout.fitted), m.Rows(0, layout.fitted), inside);
      const size_t judging = layout.all - layout.judging_first;
      data.judging[group].Add(x.Rows(layout.judging_first, judging), m.Rows(layout.judging_first, judging), inside);
      if (rows)
        rows->Add(group, judged, x.Rows(layout.judging_first, judging),
                  std::span<const float* const>(target_rows).subspan(layout.judging_first));
    };
    if (form.groups == 1)
      add(0, parallel_for);
    else
      parallel_for(form.groups, [&](size_t group) { add(group, {}); });
    judged += layout.all - layout.judging_first;
  }
  if (rows) data.rows = rows->Take();
  return data;
}

}  // namespace preon
