// ReconstructingAlgorithm: what gives the layers of the written model other codes and biases (reconstruct/).
#pragma once

#include <utility>

#include "algorithms/algorithm.h"

namespace preon {

/// A rule and a scope; it has the same name in Quark, and acts only where it is asked for.
class ReconstructingAlgorithm : public Algorithm {
 public:
  AlgorithmPhase phase() const final { return AlgorithmPhase::kWritten; }
  bool on_by_default() const final { return false; }
  std::string_view quark_name() const final { return name(); }
  ReconstructionRule Rule() const final { return rule_; }
  ReconstructionScope Scope() const final { return scope_; }

 protected:
  ReconstructingAlgorithm(const ReconstructionRule& rule, ReconstructionScope scope)
      : rule_(rule), scope_(std::move(scope)) {}

 private:
  const ReconstructionRule rule_;
  const ReconstructionScope scope_;
};

}  // namespace preon
