// FloatOutputs: what the float model made of the first samples of a calibration, so that a comparison need not run it
// over them again.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/data_source.h"
#include "runtime/session.h"

namespace preon {

class FloatOutputs {
 public:
  /// Who will ask for a run again: the figures do, or, at most, the spread of errors beside them.
  enum class Use { kFigures, kSpread };
  /// Up to a number of runs and a bound of memory for each use, from which on nothing more is kept.
  void Keep(const Batch& batch, const std::vector<NamedTensor>& outputs, Use use = Use::kFigures);
  /// Null unless the very feeds of `batch` were seen at its place in the stream: a caller's own stream may give others
  /// every time it is opened.
  const std::vector<NamedTensor>* Find(const Batch& batch) const;
  void Clear() { *this = {}; }

 private:
  struct Run {
    size_t feeds_hash;
    std::vector<NamedTensor> outputs;
  };
  struct Room {
    size_t runs = 0, bytes = 0;
  };
  std::map<int64_t, Run> runs_;  // by first sample
  std::map<Use, Room> taken_;
};

/// The outputs that are known, else those of the model's file, which is opened when it comes to that. From any thread.
class FloatModel {
 public:
  /// What it is given outlives it.
  FloatModel(const FloatOutputs& known, const std::string& path, int threads, const RunContext& context)
      : known_(known), path_(path), threads_(threads), context_(context) {}

  /// Errors: the runtime's.
  Result<std::vector<NamedTensor>> Outputs(const Batch& batch);

 private:
  const FloatOutputs& known_;
  const std::string& path_;
  const int threads_;
  const RunContext& context_;
  std::mutex opening_;
  std::optional<Session> session_;
};

}  // namespace preon
