// A result that a verb wrote as JSON, read back: what `report RESULT.json` answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/results/results.h"

namespace preon {

/// What stands under one key.
struct SavedCell {
  std::string text;              ///< "" where the key is missing
  std::optional<double> number;  ///< where it is one
};

struct SavedTable {
  std::string name;  ///< the keys that lead there, with dots between them
  std::vector<std::string> columns;
  std::vector<std::vector<SavedCell>> rows;  ///< each as long as `columns`
};

/// What the file holds.
struct SavedContent {
  std::string verb, version;  ///< of the run that made the result
  std::vector<std::string> warnings, alarms;
  std::vector<SavedTable> tables;  ///< single values first, then each list, in the order of the file
  std::string json;                ///< the result itself, one line
};

struct SavedResult {
  RunFacts facts;
  std::string file, output;  ///< that was read, that was written (may be "")
  SavedContent content;
};

}  // namespace preon
