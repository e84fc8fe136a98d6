// Collectors: all collectors of the process. Gives each a file of its own, saves at exit, and handles forks.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "instrument/collector_file.h"

namespace preon {

/// What the process asks of a collector when it forks and when it ends.
class ProcessCollector {
 public:
  virtual ~ProcessCollector() = default;
  /// Of its file's name.
  virtual const std::string& pattern() const = 0;
  /// Saves for the last time: runs wait until all is written, since the end of the process may be theirs. Afterwards
  /// nothing is saved any more, whether that went well or not, so that the end meets no file half written and is not
  /// held up again. Gives up when the runs that are under way take longer than `patience`.
  virtual void SaveForGood(std::chrono::milliseconds patience) = 0;
  /// Around fork(), on the thread that calls it: the child starts from nothing, with a file of its own.
  virtual void BeforeFork() = 0;
  virtual void AfterForkInParent() = 0;
  virtual void AfterForkInChild(CollectorFile file) = 0;
};

class Collectors {
 public:
  /// Never taken apart: sessions may outlive the exit handlers.
  static Collectors& OfProcess();

  /// Chooses its file. A name without fields is used by the first collector of a process alone, whose samples count
  /// from 0, as those of a calibration; everybody else's count from a number of their own, so that the files can be
  /// merged.
  CollectorFile Add(ProcessCollector& collector);
  void Remove(ProcessCollector& collector);

  /// Exit handlers run last to first, and a session's first runs on each thread register those of the runtime: called
  /// after them, all is saved while the runtime is still whole.
  static void SaveAtExitBeforeOthers();

 private:
  enum class Process { kAsStarted, kForked };
  Collectors();
  CollectorFile ChooseFile(const std::string& pattern, Process process);
  void SaveAtExit();
  void BeforeFork();
  void AfterForkInParent();
  void AfterForkInChild();

  std::mutex mutex_;  // of all below
  std::vector<ProcessCollector*> collectors_;
  std::set<std::string> taken_;
};

}  // namespace preon
