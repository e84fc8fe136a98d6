#include "algorithms/algorithms.h"
#include "algorithms/reconstructing_algorithm.h"

namespace preon {
namespace {

constexpr AlgorithmOption kOptionsGptq[] = {
    {.name = "act-order",
     .parameter = "act_order",
     .key = "GPTQParams.ActOrder",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "inputs that vary most get their codes first"},
    {.name = "bits",
     .parameter = "bits",
     .key = "GPTQParams.Bits",
     .type = KeyType::kInteger,
     .fallback = "8",
     .meaning = "bits per weight",
     .range = "2..8",
     .ignored = "--weight says how many"},
    {.name = "block-size",
     .parameter = "block_size",
     .key = "GPTQParams.BlockSize",
     .type = KeyType::kInteger,
     .fallback = "128",
     .meaning = "columns per update",
     .range = "1..",
     .ignored = "the result does not depend on it"},
    {.name = "group-size",
     .parameter = "group_size",
     .key = "GPTQParams.GroupSize",
     .type = KeyType::kInteger,
     .fallback = "-1",
     .meaning = "columns per scale, -1 = all",
     .range = "-1..",
     .ignored = "--block-size says how many weights share a scale"},
    {.name = "mse",
     .parameter = "mse",
     .key = "GPTQParams.MSE",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "search ranges by error",
     .ignored = "--weight-method minmse does that"},
    {.name = "per-channel",
     .parameter = "per_channel",
     .key = "GPTQParams.PerChannel",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "scale per channel",
     .ignored = "weights have a scale per channel unless --per-tensor says otherwise"},
    {.name = "perc-damp",
     .parameter = "perc_damp",
     .key = "GPTQParams.PercDamp",
     .type = KeyType::kNumber,
     .fallback = "0.01",
     .meaning = "share of the mean curvature that is added to all: keeps codes near the weights",
     .range = "0..1"},
    {.name = "weight-symmetric",
     .parameter = "weight_symmetric",
     .key = "GPTQParams.WeightSymmetric",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "symmetric weights",
     .ignored = "--weight names the type of weights"},
    {.name = "descent", .fallback = "false", .meaning = "then moves single codes to where the error is least"},
    {.name = "target-op-type",
     .type = KeyType::kTexts,
     .fallback = R"(["MatMul"])",
     .meaning = "types of the layers that are improved"},
};

ReconstructionScope ScopeOf(const std::vector<std::string>& types) {
  return {.op_types = {types.begin(), types.end()}};
}

class Gptq final : public ReconstructingAlgorithm {
 public:
  Gptq() : Gptq(AlgorithmValues(kOptionsGptq, {})) {}
  explicit Gptq(const AlgorithmValues& values)
      : ReconstructingAlgorithm(
            {.reach = {.steps = kAnyCode},
             .steps = {.by_curvature = values.Flag("act-order"),
                       .descent_rounds = values.Flag("descent") ? RoundingSteps().descent_rounds : 0},
             .damping = static_cast<float>(values.Number("perc-damp")),
             .damping_of_few = static_cast<float>(values.Number("perc-damp"))},
            ScopeOf(values.TextList("target-op-type"))) {}

  std::string_view name() const override { return "gptq"; }
  std::string_view summary() const override {
    return "rounds the weights of MatMul input by input and adjusts the weights not yet rounded to compensate the "
           "error";
  }
  std::span<const AlgorithmOption> options() const override { return kOptionsGptq; }
  Result<std::unique_ptr<Algorithm>> Configured(const AlgorithmValues& values) const override {
    return std::unique_ptr<Algorithm>(std::make_unique<Gptq>(values));
  }
};

}  // namespace

std::unique_ptr<Algorithm> MakeGptqAlgorithm() { return std::make_unique<Gptq>(); }

}  // namespace preon
