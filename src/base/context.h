// RunContext: what a run shares: log, progress, stages, threads, temporary folder, cancel flag. There is no global
// state.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/stage_clock.h"
#include "base/status.h"
#include "base/str_cat.h"

namespace preon {

class CustomOpLibraries;  // runtime/custom_op_libraries.h

enum class LogLevel { kDebug, kInfo, kWarning };

/// How far a stage has come; `total` is 0 while unknown. Each stage reports its beginning, with 0 done.
struct Progress {
  std::string_view stage;  ///< "calibrate", "verify", …
  int64_t done = 0;
  int64_t total = 0;
};

/// As RunContext::tmp_dir: temporary files stay in memory, and nothing that a run learns gets to the disk (crypto
/// mode).
inline constexpr std::string_view kInMemory = "(memory)";

/// The processor that computes a model's operators. (docs/design/cuda.md)
struct Provider {
  std::optional<int> cuda_device = std::nullopt;  ///< number of a CUDA device; nullopt: the CPU

  bool is_cpu() const { return !cuda_device; }
  /// As --provider takes it.
  std::string Name() const { return is_cpu() ? "cpu" : StrCat("cuda:", *cuda_device); }
};

/// Owned by the caller of the pipeline, outlives it. Sinks may be called from any one thread at a time.
struct RunContext {
  int threads = 0;      ///< wanted threads for inference and own loops; 0 = all cores (see ThreadCount)
  std::string tmp_dir;  ///< folder for temporary files; empty = the system's; kInMemory
  std::function<void(LogLevel, std::string_view)> log;  ///< may be empty
  LogLevel log_level = LogLevel::kInfo;                 ///< `log` is told of nothing below it
  std::function<void(const Progress&)> progress;        ///< may be empty
  const std::atomic<bool>* cancel = nullptr;            ///< set by a signal handler; may be null
  StageClock* stages = nullptr;                         ///< times of the stages; may be null
  std::shared_ptr<const CustomOpLibraries> custom_ops;  ///< that models may need; may be null
  Provider device;                                      ///< --provider: of sessions that are opened with OnDevice()
  bool on_device = false;                               ///< else sessions compute on the CPU

  /// Is there a sink for such messages? Asked before those are put together that take time.
  bool Wants(LogLevel level) const { return log && level >= log_level; }
  void Log(LogLevel level, std::string_view message) const {
    if (Wants(level)) log(level, message);
  }
  /// The parts as one message of level kDebug; nothing is put together where it is not wanted.
  template <typename... Parts>
  void Debug(const Parts&... parts) const {
    if (Wants(LogLevel::kDebug)) log(LogLevel::kDebug, StrCat(parts...));
  }
  /// What `lines` gives, each as such a message.
  template <typename Lines>
  void DebugLines(const Lines& lines) const {
    if (!Wants(LogLevel::kDebug)) return;
    for (const std::string& line : lines()) log(LogLevel::kDebug, line);
  }
  void Report(const Progress& p) const {
    if (progress) progress(p);
  }
  /// The run goes over to this stage ("load", "calibrate", …); only the thread that drives the run calls it.
  void BeginStage(std::string_view stage) const {
    if (stages != nullptr) stages->Begin(stage);
    Debug("stage ", stage);
    Report({.stage = stage});
  }
  /// The same without progress reports, for runs inside a stage.
  RunContext Quiet() const {
    RunContext quiet = *this;
    quiet.progress = {};
    return quiet;
  }
  /// The same for float models that are calibrated, and for what is run or compared.
  RunContext OnDevice() const {
    RunContext there = *this;
    there.on_device = true;
    return there;
  }
  /// Of the sessions that are opened.
  Provider provider() const { return on_device ? device : Provider(); }
  /// kCancelled once the cancel flag is set.
  Status CheckCancelled() const;
  /// `threads`, at most the number of cores this process may use, which is also the default.
  int ThreadCount() const;
  bool StaysInMemory() const { return tmp_dir == kInMemory; }
  /// `tmp_dir`, or the system's folder for temporary files.
  std::string TempDir() const;
};

}  // namespace preon
