#include "algorithms/algorithms.h"
#include "algorithms/finetune_options.h"
#include "algorithms/reconstructing_algorithm.h"

namespace preon {
namespace {

constexpr auto kOptionsAdaRound = FinetuneOptions("1000", "0.1");

class AdaRound final : public ReconstructingAlgorithm {
 public:
  AdaRound() : AdaRound(AlgorithmValues(kOptionsAdaRound, {})) {}
  explicit AdaRound(const AlgorithmValues& values)
      : ReconstructingAlgorithm({.reach = {.two_sided = true}, .updates_bias = values.Flag("update-bias")},
                                FinetuneScope(values)) {}

  std::string_view name() const override { return "adaround"; }
  std::string_view summary() const override {
    return "rounds each weight up or down so that the errors of a layer's weights cancel";
  }
  std::span<const AlgorithmOption> options() const override { return kOptionsAdaRound; }
  Result<std::unique_ptr<Algorithm>> Configured(const AlgorithmValues& values) const override {
    return std::unique_ptr<Algorithm>(std::make_unique<AdaRound>(values));
  }
};

}  // namespace

std::unique_ptr<Algorithm> MakeAdaRoundAlgorithm() { return std::make_unique<AdaRound>(); }

}  // namespace preon
