#include "config/resolve/crypto_mode.h"

#include <array>

#include "config/compound_options.h"
#include "config/ignored_options.h"

namespace preon {
namespace {

// Options that would leave something readable behind.
struct Writer {
  std::string_view option, what;
  bool (*is_set)(const Options& options);
};

constexpr auto kWriters = std::to_array<Writer>({
    {"save-and-restore", "names and ranges of tensors", [](const Options& o) { return !o.outputs.ranges.empty(); }},
    {"save-histograms", "names and values of tensors", [](const Options& o) { return !o.outputs.histograms.empty(); }},
    {"report", "names of nodes and tensors", [](const Options& o) { return !o.outputs.report.empty(); }},
    {"external-data", "weights", [](const Options& o) { return o.write.external_data; }},
    {"resume", "names and statistics of tensors", [](const Options& o) { return o.calibration.checkpoint.resume; }},
    {"checkpoint", "names and statistics of tensors",
     [](const Options& o) { return o.calibration.checkpoint.seconds.has_value(); }},
});

// Of what fine-tuning keeps: 2 is on disk.
template <typename Values>
bool LowerLevel(Values& values, const char* name) {
  const auto level = values.find(name);
  if (level == values.end() || level->second != "2") return false;
  level->second = "1";
  return true;
}

// Quark's words on its own keys. The runtime's optimizer is off with it, and memory is not saved at the cost of time.
Status SettleKeys(Options& options) {
  std::vector<std::string>& warnings = options.given.warnings;
  if (options.plan.op_list.preprocessing.Optimizes()) {
    PREON_RETURN_IF_ERROR(SetKey(options, "OptimizeModel", "false"));
    options.given.origins.hints.insert("OptimizeModel");
    warnings.emplace_back("OptimizeModel: is off in crypto mode");
  }
  if (options.resources.memory == MemoryUse::kLow) {
    options.resources.memory = MemoryUse::kBalanced;
    warnings.push_back(StrCat(NameOf("memory", options.given.origins), ": saving memory is off in crypto mode"));
  }
  const bool by_key = LowerLevel(options.algorithms.keys, "FastFinetune.MemOptLevel");
  bool by_algorithm = false;
  for (auto& [name, asked] : options.algorithms.asked) by_algorithm |= LowerLevel(asked.values, "mem-opt-level");
  if (by_key || by_algorithm)
    warnings.emplace_back("MemOptLevel: 1 instead of 2 in crypto mode, because 2 keeps values on the disk");
  return Status::Ok();
}

}  // namespace

Status SettleCryptoMode(Options& options) {
  for (const Writer& writer : kWriters) {
    if (writer.is_set(options)) return RefuseReadable(NameOf(writer.option, options.given.origins), writer.what);
  }
  if (options.crypto.mode) PREON_RETURN_IF_ERROR(SettleKeys(options));
  std::vector<std::string>& warnings = options.given.warnings;
  int64_t& workers = options.calibration.workers.count;
  if (workers > 1)
    warnings.push_back(StrCat(NameOf("workers", options.given.origins), ": got ", workers,
                              "; one process is used in crypto mode, because several exchange files"));
  workers = 1;
  if (!options.resources.tmp_dir.empty())
    warnings.push_back(StrCat(NameOf("tmp-dir", options.given.origins),
                              ": has no effect in crypto mode: temporary files stay in memory"));
  return Status::Ok();
}

Status RefuseReadable(std::string_view setting, std::string_view what_it_writes) {
  return Error(ErrorId::kConflictingOptions, setting, ": can't be used in crypto mode: it writes ", what_it_writes,
               " to the disk");
}

Status RefuseCryptoMode(std::string_view verb, const CryptoOptions& options) {
  if (!options.mode) return Status::Ok();
  return Error(ErrorId::kConflictingOptions, "CryptoMode: can't be used with ", verb,
               ", which writes names or values of tensors; wanted quantize");
}

}  // namespace preon
