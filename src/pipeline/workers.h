// Workers: one pass over the samples by several processes of this program (docs/design/workers.md).
#pragma once

#include <string>
#include <vector>

#include "base/context.h"
#include "base/status.h"

namespace preon {

struct WorkerPlan {
  std::string model;
  int64_t workers = 1;
  std::string folder;             ///< worker k leaves its statistics in FileOf(folder, k)
  std::string seen;               ///< a .calib whose samples nobody runs again; "" = none
  int64_t seen_samples = 0;       ///< in it
  int64_t samples = 0;            ///< of all; 0 = unknown
  int64_t batch = 1;              ///< samples per run
  bool verify_each_pass = false;  ///< rewrites change the outputs: prepare as its parent did
};

/// The statistics of worker k (from 0), a .calib file.
std::string WorkerFile(const std::string& folder, int64_t worker);

/// Starts the workers and waits for them; progress and warnings are theirs together.
/// @param program    the preon binary; "" = to be looked for
/// @param arguments  of the verb calibrate that all have in common (worker_arguments.h)
/// @return their largest resident sets, together
/// Errors: the first one in the order of the samples that a worker had, as one process would report it; kWorkerFailed
/// where a worker ended without a word of its own; kWorkerStart; kCancelled. No worker is left then.
Result<int64_t> RunWorkers(const WorkerPlan& plan, const std::string& program,
                           const std::vector<std::string>& arguments, const RunContext& context);

}  // namespace preon
