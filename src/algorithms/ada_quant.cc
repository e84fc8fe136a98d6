#include "algorithms/algorithms.h"
#include "algorithms/finetune_options.h"
#include "algorithms/reconstructing_algorithm.h"

namespace preon {
namespace {

constexpr auto kOptionsAdaQuant = FinetuneOptions("3000", "1e-5");

class AdaQuant final : public ReconstructingAlgorithm {
 public:
  AdaQuant() : AdaQuant(AlgorithmValues(kOptionsAdaQuant, {})) {}
  explicit AdaQuant(const AlgorithmValues& values)
      : ReconstructingAlgorithm(
            {.reach = {.steps = 1, .shared_steps = 4, .more_of_few = true}, .updates_bias = values.Flag("update-bias")},
            FinetuneScope(values)) {}

  std::string_view name() const override { return "adaquant"; }
  bool in_effort() const override { return true; }
  std::string_view summary() const override {
    return "changes codes of weights by one step (two for types with few codes) so that rounding errors cancel";
  }
  std::span<const AlgorithmOption> options() const override { return kOptionsAdaQuant; }
  Result<std::unique_ptr<Algorithm>> Configured(const AlgorithmValues& values) const override {
    return std::unique_ptr<Algorithm>(std::make_unique<AdaQuant>(values));
  }
};

}  // namespace

std::unique_ptr<Algorithm> MakeAdaQuantAlgorithm() { return std::make_unique<AdaQuant>(); }

}  // namespace preon
