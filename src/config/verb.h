// Verbs of the command line, as a set.
#pragma once

#include <cstdint>

namespace preon {

/// Which commands take an option.
enum Verb : uint32_t {
  kVerbQuantize = 1,
  kVerbCalibrate = 2,
  kVerbMerge = 4,
  kVerbRanges = 8,
  kVerbInspect = 16,
  kVerbRun = 32,
  kVerbCompare = 64,
  kVerbDoctor = 128,
  kVerbAnalyze = 256,
  kVerbInstrument = 512,
  kVerbPasses = 1024,
  kVerbLint = 2048,
  kVerbValidate = 4096,
  kVerbSensitivity = 8192,
  kVerbReport = 16384,
  kVerbDiff = 32768,
  kVerbRetarget = 65536,
  kVerbExportQat = 131072,
  kVerbSearch = 262144,
  kVerbEncrypt = 524288,
  kVerbDecrypt = 1048576,
};

/// Verbs that run models on samples.
constexpr uint32_t kNeedsData = kVerbQuantize | kVerbCalibrate | kVerbRanges | kVerbRun | kVerbCompare |
                                kVerbInstrument | kVerbLint | kVerbValidate | kVerbSensitivity | kVerbReport |
                                kVerbDiff | kVerbRetarget | kVerbSearch | kVerbExportQat;

/// Those that take a configuration (--config), from which they read the options that are theirs.
constexpr uint32_t kVerbsWithConfig = kVerbQuantize | kVerbCalibrate | kVerbInstrument | kVerbRanges;

}  // namespace preon
