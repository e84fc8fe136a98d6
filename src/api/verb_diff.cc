#include <algorithm>

#include "api/verbs.h"
#include "diff/model_diff.h"
#include "eval/compare_runs.h"
#include "eval/feeds.h"
#include "eval/latency.h"
#include "eval/open_model.h"
#include "ir/model_io.h"
#include "pipeline/output.h"
#include "quantize/read/stored_floats.h"
#include "runtime/session.h"

namespace preon {
namespace {

// What other tools call an input or output, at the same position, where no name is the same.
void Rename(std::vector<NamedTensor>& tensors, const std::vector<TensorSpec>& from, const std::vector<TensorSpec>& to) {
  for (NamedTensor& tensor : tensors) {
    const auto known = std::ranges::find(to, tensor.name, &TensorSpec::name);
    const auto place = std::ranges::find(from, tensor.name, &TensorSpec::name);
    const auto index = static_cast<size_t>(place - from.begin());
    if (known == to.end() && index < to.size()) tensor.name = to[index].name;
  }
}

Result<Comparison> CompareOutputs(Session& a, Session& b, const Samples& samples, const RunContext& context) {
  const ModelOutputs of_b = [&](const Batch& batch) -> Result<std::vector<NamedTensor>> {
    Batch renamed = batch;
    Rename(renamed.feeds, a.inputs(), b.inputs());
    PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> outputs, OutputsOf(b, context)(renamed));
    Rename(outputs, b.outputs(), a.outputs());
    return outputs;
  };
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples.open(a.inputs(), {}));
  source = Prefetch(std::move(source));
  return Compare(OutputsOf(a, context), of_b, *source, {}, context);
}

int64_t IntegerOperators(const Graph& graph) {
  return std::ranges::count_if(graph.nodes(), [](const auto& node) {
    return node->op_type.starts_with("QLinear") || node->op_type == "QGemm" || node->op_type == "QAttention";
  });
}

}  // namespace

Result<DiffResult> DiffVerb(const std::string& a, const std::string& b, RunInputs& run) {
  run.context.BeginStage("load");
  PREON_ASSIGN_OR_RETURN(Model of_a, LoadModel(a));
  PREON_ASSIGN_OR_RETURN(Model of_b, LoadModel(b));
  for (Model* model : {&of_a, &of_b}) {
    RestoreFloatWeights(model->graph);
    InferShapes(*model);
  }
  run.context.BeginStage("diff");
  DiffResult result{.a = a, .b = b, .diff = DiffModels(of_a, of_b)};
  if (const int64_t nodes = IntegerOperators(of_a.graph) + IntegerOperators(of_b.graph); nodes > 0)
    result.warnings.push_back(StrCat("scales that operators hold themselves (QLinearConv, ...), of ", nodes,
                                     nodes == 1 ? " node" : " nodes", ", are not read: they count as constants"));
  if (run.samples.open && !run.samples.made_up()) {
    run.context.BeginStage("compare");
    PREON_ASSIGN_OR_RETURN(Session first, OpenSession(a, TimedSession(run.context), run.context));
    PREON_ASSIGN_OR_RETURN(Session second, OpenSession(b, TimedSession(run.context), run.context));
    PREON_ASSIGN_OR_RETURN(result.outputs, CompareOutputs(first, second, run.samples, run.context));
    result.random_data = run.options.data.from.has_random();
    for (std::string& warning : WarningsOf(*result.outputs)) result.warnings.push_back(std::move(warning));
  }
  result.facts = RunFactsOf(run.context, "diff");
  return result;
}

}  // namespace preon
