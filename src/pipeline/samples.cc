#include "pipeline/samples.h"

#include <optional>
#include <utility>

#include "data/array_layout.h"
#include "data/open_data_source.h"

namespace preon {

Samples MadeUpSamples() {
  const auto open = [](const std::vector<TensorSpec>& inputs, const SampleSelection& selection) {
    return OpenDataSource({.from = {.sources = {StrCat("random:", FixedBatch(inputs))}}}, inputs, selection);
  };
  return {open, SampleOrigin::kMadeUp};
}

Result<Batch> FirstBatch(const Samples& samples, const std::vector<TensorSpec>& inputs) {
  PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source, samples.open(inputs, {}));
  PREON_ASSIGN_OR_RETURN(std::optional<Batch> batch, source->Next());
  if (!batch) return Error(ErrorId::kDataEmpty, "--data: no samples");
  return *std::move(batch);
}

std::vector<TensorSpec> InputSpecs(const Graph& graph) {
  std::vector<TensorSpec> specs;
  for (const std::string& input : graph.inputs()) {
    specs.push_back({input, graph.TypeOf(input), graph.ShapeOf(input).value_or(Shape{})});
  }
  return specs;
}

}  // namespace preon
