// TrialModels: quantized forms of one float model, of any options, each from the statistics that fit it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/output/temp_dir.h"
#include "pipeline/run_inputs.h"

namespace preon {

class TrialModels {
 public:
  /// What it is given outlives it. @param samples  calibrate
  TrialModels(std::string model, const Samples& samples, RunInputs& run, const TempDir& folder)
      : model_(std::move(model)), samples_(samples), run_(run), folder_(folder) {}

  /// Methods and layers in float are chosen by trials, as quantize does by itself.
  static bool ChoosesBySamples(const RangeOptions& ranges);

  struct Made {
    std::string file;           ///< in the folder, until the next one is made
    bool with_samples = false;  ///< algorithms have seen the samples
  };
  /// From statistics alone where method and algorithms allow that, unless it is to be made `with_samples`. Another
  /// graph (cross-layer equalization, another target) gets statistics of its own.
  Result<Made> Make(const Options& settings, bool with_samples);

  int64_t calibrations() const { return static_cast<int64_t>(statistics_.size()); }

 private:
  Result<Made> FromStatistics(const Options& settings, bool with_samples);
  Result<Made> From(const std::string& statistics, const Options& settings, bool with_samples);

  const std::string model_;
  const Samples& samples_;
  RunInputs& run_;
  const TempDir& folder_;
  std::vector<std::string> statistics_;           // files, the one that fitted last in front
  std::set<std::set<std::string>> need_samples_;  // algorithms of options that can't do without
};

}  // namespace preon
