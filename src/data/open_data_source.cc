#include "data/open_data_source.h"

#include <algorithm>
#include <utility>

#include "data/array_layout.h"
#include "data/batcher.h"
#include "data/combined_sets.h"
#include "data/files/quoted_names.h"
#include "data/selected_set.h"
#include "data/source.h"
#include "data/source_context.h"

namespace preon {
namespace {

Status CheckOptions(const Shard& shard, int64_t limit, int64_t batch) {
  if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count) {
    return Error(ErrorId::kBadOptionValue, "--shard: got ", shard.index + 1, "/", shard.count,
                 ", wanted I/N with 1 <= I <= N");
  }
  if (limit == 0) return Error(ErrorId::kBadOptionValue, "--samples: got '0', wanted a number above 0");
  if (batch < 0) return Error(ErrorId::kBadOptionValue, "--batch: got '", batch, "', wanted a number above 0");
  return Status::Ok();
}

// One chain per input that --input names, and one for all the others from --data.
Result<std::vector<std::unique_ptr<SampleSet>>> OpenAll(const SourceOptions& from, std::span<const TensorSpec> inputs,
                                                        const SourceContext& context) {
  std::vector<std::unique_ptr<SampleSet>> parts;
  const auto open_chain = [&](const std::vector<std::string>& sources, std::span<const TensorSpec> wanted) -> Status {
    std::vector<std::unique_ptr<SampleSet>> chain;
    for (const std::string& source : sources) {
      PREON_ASSIGN_OR_RETURN(std::unique_ptr<SampleSet> set, OpenSource(source, wanted, context));
      if (set->size() == 0) return Error(ErrorId::kDataEmpty, "--data: ", source, ": no samples");
      chain.push_back(std::move(set));
    }
    parts.push_back(ChainSets(std::move(chain)));
    return Status::Ok();
  };

  std::vector<TensorSpec> others;
  for (const TensorSpec& input : inputs) {
    std::vector<std::string> sources;
    for (const auto& [name, source] : from.inputs) {
      if (name == input.name) sources.push_back(source);
    }
    if (sources.empty())
      others.push_back(input);
    else
      PREON_RETURN_IF_ERROR(open_chain(sources, {&input, 1}));
  }
  const bool random_alone = !from.has_sources() && from.random_samples > 0;
  if (random_alone) {
    PREON_RETURN_IF_ERROR(open_chain({StrCat("random:", from.random_samples)}, others));
  } else if (!from.sources.empty()) {
    if (others.empty() && !inputs.empty()) {
      return Error(ErrorId::kConflictingOptions, "--data: every input of the model has its --input already");
    }
    PREON_RETURN_IF_ERROR(open_chain(from.sources, others));
  } else if (!others.empty() || inputs.empty()) {
    return Error(ErrorId::kMissingOption, "no data",
                 others.empty() ? "" : " for " + QuotedNames(others, &TensorSpec::name),
                 "; wanted --data SRC or --input NAME=SRC");
  }
  return parts;
}

// How many samples per run: what the model insists on, else what the user asks for, else 1.
Status PlanBatches(int64_t wanted, std::span<const TensorSpec> inputs, bool single, BatchPlan& plan) {
  const int64_t fixed = FixedBatch(inputs);
  plan.exact = fixed > 1 && !single;
  plan.batch = plan.exact ? fixed : single ? 1 : std::max<int64_t>(wanted, 1);
  if (wanted > 0 && wanted != plan.batch) {
    return Error(
        ErrorId::kBadOptionValue, "--batch: got '", wanted, "', wanted ", plan.batch, ": ",
        plan.exact ? "the model's batch is fixed" : "each sample of these data is a run of its own for this model");
  }
  if (const int64_t left_over = ShardSize(plan.shard, plan.total) % plan.batch; plan.exact && left_over != 0) {
    const int64_t whole = plan.total - left_over * plan.shard.count;
    return Error(ErrorId::kDataShape, "--data: ", ShardSize(plan.shard, plan.total), " samples, wanted a multiple of ",
                 fixed, ": the model takes batches of exactly that")
        .WithHint(whole > 0 ? StrCat("--samples ", whole, " leaves the incomplete batch out")
                            : StrCat("give at least ", fixed * plan.shard.count, " samples"));
  }
  return Status::Ok();
}

Result<std::optional<LabelFile>> OpenLabels(const std::string& path, const SampleSet& samples, int64_t total) {
  if (path.empty()) return std::optional<LabelFile>();
  PREON_ASSIGN_OR_RETURN(LabelFile labels, LabelFile::Load(path));
  for (int64_t sample = 0; sample < total; ++sample) {
    if (labels.Find(samples.Key(sample))) return std::optional<LabelFile>(std::move(labels));
  }
  return Error(ErrorId::kLabels, "--labels: ", path, ": none of its ", labels.size(),
               " names is a sample; the first sample is '", samples.Key(0), "'");
}

}  // namespace

namespace {

constexpr const char* kCutOut =
    "quantize the part behind it: onnx.utils.extract_model(MODEL, PART, INPUTS, OUTPUTS) of Python package onnx cuts "
    "it "
    "out, where INPUTS are tensors of numbers that the part reads";

}  // namespace

Result<std::unique_ptr<DataSource>> OpenDataSource(const DataOptions& options, const std::vector<TensorSpec>& inputs,
                                                   const SampleSelection& selection) {
  PREON_RETURN_IF_ERROR(CheckOptions(options.shard, options.limit, options.batch));
  for (const TensorSpec& input : inputs) {
    const bool has_strings = input.type == DataType::kString;
    if (input.type == DataType::kUndefined || has_strings)
      return Error(ErrorId::kModelTypeUnsupported, "input '", input.name,
                   has_strings ? "' is a tensor of strings; wanted numbers"
                               : "' is a sequence, a map or optional; wanted a tensor")
          .WithHint(kCutOut);
  }
  for (const auto& [name, source] : options.from.inputs) {
    if (std::ranges::find(inputs, name, &TensorSpec::name) != inputs.end()) continue;
    return Error(ErrorId::kDataInputName, "--input: the model has no input '", name,
                 "'; it has: ", QuotedNames(inputs, &TensorSpec::name));
  }
  SourceContext context;
  context.fixed_batch = FixedBatch(inputs);
  context.preprocess = options.preprocess;
  context.random = options.random;
  PREON_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<SampleSet>> parts, OpenAll(options.from, inputs, context));
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<SampleSet> all, ZipSets(std::move(parts)));
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<SampleSet> samples, SelectSamples(std::move(all), options.only));

  BatchPlan plan;
  for (const TensorSpec& input : inputs) plan.inputs.push_back(input.name);
  plan.total = samples->size() == SampleSet::kRepeats ? 1 : samples->size();
  if (options.limit > 0) plan.total = std::min(plan.total, options.limit);
  if (selection.limit > 0) plan.total = std::min(plan.total, selection.limit);
  plan.shard = options.shard;
  plan.seen = selection.seen;
  plan.part = selection.part;
  plan.parts = selection.parts;
  PREON_RETURN_IF_ERROR(PlanBatches(options.batch, inputs, samples->single(), plan));
  PREON_ASSIGN_OR_RETURN(std::optional<LabelFile> labels, OpenLabels(options.labels, *samples, plan.total));
  return MakeBatcher(std::move(samples), std::move(plan), std::move(labels));
}

}  // namespace preon
