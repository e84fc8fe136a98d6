// What `report` answers: what validate, sensitivity and analyze say of one model, with what is needed to get it again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/results/results.h"
#include "report/results/sensitivity_result.h"
#include "report/results/validated.h"

namespace preon {

/// What figures were measured with.
struct Machine {
  std::string cpu;
  std::vector<std::string> cpu_features;
  std::string kernels;  ///< instruction set of preon's own loops
  int threads = 0;
  std::string runtime_version;
};

struct FullReport {
  RunFacts facts;
  std::string output;   ///< the file written; may be ""
  std::string command;  ///< that makes it again; "" = none can
  Machine machine;
  ValidateResult validated;
  std::optional<SensitivityResult> sensitivity;  ///< of preon's own quantization
  std::string why_no_sensitivity;                ///< one clause
  std::optional<AnalyzeResult> analysis;         ///< of the calibration; none where nothing is calibrated
  std::map<std::string, std::string> pictures;   ///< files of the samples that changed most, by the samples' names
};

}  // namespace preon
