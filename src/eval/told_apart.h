// How many classes a classifier tells apart in samples: few where it was trained on samples prepared in another way.
#pragma once

#include <span>
#include <vector>

#include "base/tensor.h"

namespace preon {

/// What a classifier gave for each sample.
struct ClassScores {
  std::vector<std::vector<double>> probabilities;  ///< per sample and class

  /// `scores`: an output of one sample, logits or probabilities. The classes of samples do not differ in number.
  void Add(const Tensor& scores);
  /// exp of the mutual information of sample and class: 1 where all samples look alike or none is clear, at most the
  /// number of samples or of classes.
  double ClassesToldApart() const;
  /// Share of samples with the same most probable class, 0…1.
  double Agreement(const ClassScores& other) const;
};

}  // namespace preon
