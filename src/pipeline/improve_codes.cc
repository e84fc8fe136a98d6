#include "pipeline/improve_codes.h"

namespace preon {
namespace {

size_t SizeBytes(const Batch& batch) {
  size_t bytes = 0;
  for (const NamedTensor& feed : batch.feeds) bytes += feed.tensor.bytes().size();
  return bytes;
}

// All runs, or every 2^k-th where all would be more than `most_bytes`; the first always.
Result<std::vector<Batch>> ReadRuns(const Samples& samples, const Graph& graph, int64_t most_samples,
                                    size_t most_bytes) {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples.open(InputSpecs(graph), {.limit = most_samples}));
  source = Prefetch(std::move(source));
  std::vector<Batch> runs;
  size_t bytes = 0, step = 1;
  for (size_t index = 0;; ++index) {
    PREON_ASSIGN_OR_RETURN(std::optional<Batch> batch, source->Next());
    if (!batch) return runs;
    if (index % step != 0) continue;
    bytes += SizeBytes(*batch);
    runs.push_back(std::move(*batch));
    if (bytes <= most_bytes || runs.size() == 1) continue;
    std::vector<Batch> thinned;
    for (size_t kept = 0; kept < runs.size(); kept += 2) thinned.push_back(std::move(runs[kept]));
    runs = std::move(thinned);
    step *= 2;
    bytes = 0;
    for (const Batch& run : runs) bytes += SizeBytes(run);
  }
}

std::string Listed(const std::vector<std::string>& nodes) {
  constexpr size_t kMostListed = 3;
  std::string text = nodes.front();
  for (size_t i = 1; i < std::min(kMostListed, nodes.size()); ++i) text += ", " + nodes[i];
  return nodes.size() <= kMostListed ? text : StrCat(text, " and ", nodes.size() - kMostListed, " others");
}

}  // namespace

Result<std::vector<ImprovedCodes>> ImproveCodes(Model& quantized, const FloatReference& reference,
                                                const std::vector<const Algorithm*>& algorithms, const Samples& samples,
                                                const RunContext& context, std::vector<std::string>& warnings) {
  std::vector<ImprovedCodes> improved;
  for (const Algorithm* algorithm : algorithms) {
    if (algorithm->phase() != AlgorithmPhase::kWritten) continue;
    if (!samples.open || samples.made_up())
      return Error(ErrorId::kMissingOption, "--algorithm ", algorithm->name(), ": needs --data SRC");
    const ReconstructionScope scope = algorithm->Scope();
    PREON_ASSIGN_OR_RETURN(const std::vector<Batch> runs,
                           ReadRuns(samples, reference.model.graph, scope.samples, scope.memory_bytes));
    if (runs.empty()) return Error(ErrorId::kDataEmpty, algorithm->name(), ": no samples");
    PREON_ASSIGN_OR_RETURN(const Reconstruction done,
                           Reconstruct(quantized, reference, runs, algorithm->Rule(), scope, context));
    ImprovedCodes& result = improved.emplace_back();
    result = {.algorithm = std::string(algorithm->name()),
              .runs = static_cast<int64_t>(runs.size()),
              .before_db = done.before_db,
              .after_db = done.after_db};
    for (const LayerOutcome& layer : done.layers) (layer.stays ? result.layers_kept : result.layers_changed) += 1;
    if (!done.left_out.empty())
      warnings.push_back(StrCat(algorithm->name(), ": cannot improve ", Listed(done.left_out),
                                ": the weight has several readers, or the float model has no such layer"));
  }
  return improved;
}

}  // namespace preon
