#include "pipeline/samples.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "data/array_layout.h"
#include "data/filtered_source.h"
#include "data/open_data_source.h"
#include "eval/runnable_inputs.h"
#include "passes/support/input_sizes.h"

namespace preon {
namespace {

constexpr int64_t kMostLookedAt = 256;  // samples: reading takes time, too

}  // namespace

Samples MadeUpSamples() {
  const auto open = [](const std::vector<TensorSpec>& inputs, const SampleSelection& selection) {
    return OpenDataSource({.from = {.sources = {StrCat("random:", FixedBatch(inputs))}}}, inputs, selection);
  };
  return {open, SampleOrigin::kMadeUp, /*free_shapes=*/true};
}

Result<Batch> FirstBatch(const Samples& samples, const std::vector<TensorSpec>& inputs) {
  PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source, samples.open(inputs, {}));
  PREON_ASSIGN_OR_RETURN(std::optional<Batch> batch, source->Next());
  if (!batch) return Error(ErrorId::kDataEmpty, "--data: no samples");
  return *std::move(batch);
}

Samples Without(const Samples& samples, const SampleRuns& left_out) {
  if (left_out.empty()) return samples;
  return {[open = samples.open, left_out](const std::vector<TensorSpec>& inputs,
                                          SampleSelection selection) -> Result<std::unique_ptr<DataSource>> {
            PREON_ASSIGN_OR_RETURN(selection.seen, JoinedRuns(selection.seen, left_out));
            PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, open(inputs, selection));
            return LeaveOut(std::move(source), std::move(selection.seen));
          },
          samples.origin};
}

Samples FirstOf(const Samples& samples, int64_t most) {
  return {[open = samples.open, most](const std::vector<TensorSpec>& inputs, SampleSelection selection) {
            selection.limit = selection.limit > 0 ? std::min(selection.limit, most) : most;
            return open(inputs, selection);
          },
          samples.origin};
}

Samples SomeOf(const Samples& samples, const SampleRuns& wanted, int64_t most) {
  SampleRuns near;
  for (const auto& [first, last] : wanted) {
    const int64_t left = kMostLookedAt - CountSamples(near);
    if (left > 0) near.emplace_back(first, std::min(last, first + left));
  }
  const int64_t step = std::max<int64_t>(1, CountSamples(near) / most);
  return {[open = samples.open, near, step](const std::vector<TensorSpec>& inputs,
                                            SampleSelection selection) -> Result<std::unique_ptr<DataSource>> {
            selection.limit = near.empty() ? 0 : near.back().second;
            PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, open(inputs, selection));
            return Filtered(std::move(source),
                            [near, step, read = int64_t{0}, next = int64_t{0}](const Batch& batch) mutable {
                              if (!HasSample(near, batch.first_sample)) return false;
                              const bool takes = read >= next;
                              if (takes) next += std::max(step, batch.samples);
                              read += batch.samples;
                              return takes;
                            });
          },
          samples.origin};
}

std::vector<TensorSpec> InputSpecs(const Graph& graph) {
  std::vector<TensorSpec> specs;
  for (const std::string& input : graph.inputs()) {
    specs.push_back({input, graph.TypeOf(input), graph.ShapeOf(input).value_or(Shape{})});
  }
  return specs;
}

Result<std::vector<TensorSpec>> RunnableInputs(Session& session, const Graph& graph, const Samples& samples,
                                               const RunContext& context) {
  std::vector<TensorSpec> inputs = session.inputs();
  if (!samples.free_shapes) return inputs;
  FillInputSizes(graph, inputs);
  const auto first = [&](const std::vector<TensorSpec>& tried) { return FirstBatch(samples, tried); };
  return FindRunnableInputs(session, inputs, first, context);
}

}  // namespace preon
