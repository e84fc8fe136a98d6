#include "algorithms/algorithms.h"
#include "algorithms/finetune_options.h"

namespace preon {
namespace {

constexpr auto kOptionsAdaRound = FinetuneOptions("1000", "0.1");

class AdaRound final : public Algorithm {
 public:
  AdaRound() : AdaRound(AlgorithmValues(kOptionsAdaRound, {})) {}
  explicit AdaRound(const AlgorithmValues& values)
      : rule_{.reach = {.two_sided = true}, .updates_bias = values.Flag("update-bias")},
        scope_(FinetuneScope(values)) {}

  std::string_view name() const override { return "adaround"; }
  std::string_view summary() const override {
    return "rounds each weight up or down so that the errors of a layer's weights make up for each other";
  }
  AlgorithmPhase phase() const override { return AlgorithmPhase::kWritten; }
  bool on_by_default() const override { return false; }
  std::string_view quark_name() const override { return "adaround"; }
  std::span<const AlgorithmOption> options() const override { return kOptionsAdaRound; }
  Result<std::unique_ptr<Algorithm>> Configured(const AlgorithmValues& values) const override {
    return std::unique_ptr<Algorithm>(std::make_unique<AdaRound>(values));
  }
  std::optional<ReconstructionRule> Rule() const override { return rule_; }
  ReconstructionScope Scope() const override { return scope_; }

 private:
  const ReconstructionRule rule_;
  const ReconstructionScope scope_;
};

}  // namespace

std::unique_ptr<Algorithm> MakeAdaRoundAlgorithm() { return std::make_unique<AdaRound>(); }

}  // namespace preon
