// Collectors: those of the whole process. Names no file twice, saves at exit, minds forks.
#pragma once

#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "instrument/collector.h"

namespace preon {

class Collectors {
 public:
  /// Never taken apart: sessions may outlive the exit handlers.
  static Collectors& OfProcess();

  /// Chooses its file. A name without fields is used by the first collector of a process alone, whose samples count
  /// from 0, as those of a calibration; everybody else's count from a number of their own, so that the files can be
  /// merged.
  CollectorFile Add(Collector& collector);
  void Remove(Collector& collector);

  /// Exit handlers run last to first, and the first runs of a session, on each thread, bring those of the runtime: said
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
  std::vector<Collector*> collectors_;
  std::set<std::string> taken_;
};

}  // namespace preon
