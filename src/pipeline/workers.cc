#include "pipeline/workers.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/child_process.h"
#include "base/output/temp_dir.h"
#include "base/version.h"
#include "pipeline/worker_program.h"

namespace preon {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAround{100};
// An interrupted worker finishes the run that it is in and saves what it has learned; then there is no more patience.
constexpr std::chrono::seconds kPatience{10};

// "[E3006] what" of a worker's last line, if it is one of the documented errors.
std::optional<Status> ParseComplaint(std::string_view text) {
  if (!text.starts_with("[E")) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number);
  const std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
  const ErrorTable errors;
  const auto row = std::ranges::find(errors, number, &ErrorInfo::number);
  if (error != std::errc() || !rest.starts_with("] ") || row == errors.end()) return std::nullopt;
  return Error(row->id, rest.substr(2));
}

class Worker {
 public:
  Worker(ChildProcess process, int64_t index, int64_t workers, int64_t batch)
      : process_(std::move(process)), index_(index), workers_(workers), batch_(batch) {}

  const ChildProcess& process() const { return process_; }
  bool running() const { return running_; }
  int64_t done() const { return done_; }
  int64_t peak_rss_bytes() const { return peak_rss_bytes_; }
  const Status& status() const { return status_; }

  // Index in the stream of the next sample, as far as no sample was seen before.
  int64_t Place() const { return (done_ / batch_ * workers_ + index_) * batch_ + done_ % batch_; }

  // Reads what has come; at the end, how it ended. Warnings go into `warnings`.
  void Listen(std::set<std::string>& warnings) {
    std::vector<std::string> lines;
    running_ = process_.ReadLines(lines);
    for (const std::string& line : lines) Hear(line, warnings);
    if (!running_) End(process_.Wait());
  }

 private:
  void Hear(const std::string& line, std::set<std::string>& warnings) {
    constexpr std::string_view kComplaint = "preon: error ", kWarning = "preon: warning: ", kHint = "hint: ";
    if (line.starts_with('{')) return HearJson(Json::parse(line, nullptr, /*allow_exceptions=*/false));
    if (line.starts_with(kWarning)) {
      warnings.insert(line.substr(kWarning.size()));
    } else if (line.starts_with(kComplaint)) {
      complaint_ = ParseComplaint(std::string_view(line).substr(kComplaint.size()));
    } else if (complaint_ && line.starts_with(kHint)) {
      complaint_ = std::move(*complaint_).WithHint(line.substr(kHint.size()));
    }
    if (!line.empty()) last_words_ = line;
  }

  void HearJson(const Json& json) {
    if (json.is_discarded()) return;
    if (json.value("stage", "") == "calibrate") {
      done_ = json.value("done", done_);
    } else if (json.contains("verb")) {
      peak_rss_bytes_ = json.value("peak_rss_bytes", int64_t{0});
      done_ = json.value("samples", done_);
      version_ = json.value("version", "");
    }
  }

  void End(const ChildEnd& end) {
    const std::string name = StrCat("worker ", index_ + 1, " of ", workers_);
    if (end.exit_status != 0 && complaint_ && complaint_->id() != ErrorId::kCancelled) {
      status_ = *complaint_;
    } else if (end.exit_status != 0 || end.signal != 0) {
      status_ = Error(ErrorId::kWorkerFailed, name, ": ended with ", EndText(end),
                      last_words_.empty() ? "" : "; its last output: " + last_words_);
    } else if (version_ != kVersion) {
      status_ = Error(ErrorId::kWorkerStart, name, ": is version ", version_, ", wanted ", kVersion);
    }
  }

  ChildProcess process_;
  const int64_t index_, workers_, batch_;
  bool running_ = true;
  int64_t done_ = 0, peak_rss_bytes_ = 0;
  std::string version_, last_words_;
  std::optional<Status> complaint_;
  Status status_;
};

std::vector<const ChildProcess*> Running(const std::vector<Worker>& workers) {
  std::vector<const ChildProcess*> running;
  for (const Worker& worker : workers) {
    if (worker.running()) running.push_back(&worker.process());
  }
  return running;
}

// Null as long as a worker may still fail on an earlier sample.
const Worker* FirstFailure(const std::vector<Worker>& workers) {
  const Worker* first = nullptr;
  for (const Worker& worker : workers) {
    if (!worker.running() && !worker.status().ok() && (first == nullptr || worker.Place() < first->Place()))
      first = &worker;
  }
  if (first == nullptr) return nullptr;
  const bool settled = std::ranges::all_of(
      workers, [&](const Worker& worker) { return !worker.running() || worker.Place() > first->Place(); });
  return settled ? first : nullptr;
}

Progress SumOf(const std::vector<Worker>& workers, int64_t seen_samples, int64_t all_samples) {
  Progress progress{"calibrate", seen_samples, all_samples};
  for (const Worker& worker : workers) progress.done += worker.done();
  return progress;
}

void Interrupt(std::vector<Worker>& workers) {
  for (const ChildProcess* process : Running(workers)) process->Send(SIGTERM);
  std::set<std::string> ignored;
  for (const auto over = Clock::now() + kPatience; !Running(workers).empty() && Clock::now() < over;) {
    ChildProcess::WaitForAny(Running(workers), kLookAround);
    for (Worker& worker : workers) {
      if (worker.running()) worker.Listen(ignored);
    }
  }
}

Result<std::vector<Worker>> StartWorkers(const WorkerPlan& plan, const std::string& given_program,
                                         const std::vector<std::string>& arguments, int64_t threads,
                                         const std::string& tmp_dir) {
  PREON_ASSIGN_OR_RETURN(const std::string program, WorkerProgram(given_program));
  std::vector<Worker> workers;
  for (int64_t index = 0; index < plan.workers; ++index) {
    std::vector<std::string> words = {program, "calibrate", plan.model, "--json",
                                      "--output=" + WorkerFile(plan.folder, index)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const int64_t share = threads / plan.workers + (index < threads % plan.workers ? 1 : 0);
    words.push_back(StrCat("--worker=", index + 1, "/", plan.workers));
    words.push_back(StrCat("--threads=", std::max<int64_t>(share, 1)));
    words.push_back("--tmp-dir=" + tmp_dir);
    if (!plan.seen.empty()) words.push_back("--worker-seen=" + plan.seen);
    if (plan.verify_each_pass) words.push_back("--worker-verify-each-pass");
    Result<ChildProcess> process = ChildProcess::Start(words);
    if (!process.ok()) return std::move(process).status().WithContext("--workers");
    workers.emplace_back(std::move(process).value(), index, plan.workers, plan.batch);
  }
  return workers;
}

}  // namespace

std::string WorkerFile(const std::string& folder, int64_t worker) {
  return (std::filesystem::path(folder) / StrCat(worker + 1, ".calib")).string();
}

Result<int64_t> RunWorkers(const WorkerPlan& plan, const std::string& program,
                           const std::vector<std::string>& arguments, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(const TempDir temporary, TempDir::Create(context.TempDir()));
  PREON_ASSIGN_OR_RETURN(std::vector<Worker> workers,
                         StartWorkers(plan, program, arguments, context.ThreadCount(), temporary.path()));
  std::set<std::string> heard, warnings;
  while (!Running(workers).empty()) {
    ChildProcess::WaitForAny(Running(workers), kLookAround);
    for (Worker& worker : workers) {
      if (worker.running()) worker.Listen(warnings);
    }
    for (const std::string& warning : warnings) {
      if (heard.insert(warning).second) context.Log(LogLevel::kWarning, warning);
    }
    const Progress progress = SumOf(workers, plan.seen_samples, plan.samples);
    context.Report(progress);
    if (!context.CheckCancelled().ok()) {
      Interrupt(workers);
      return Error(ErrorId::kCancelled, "calibrate: interrupted after ", progress.done, " of ",
                   plan.samples > 0 ? StrCat(plan.samples) : "?", " samples");
    }
    if (const Worker* failure = FirstFailure(workers)) return failure->status();
  }
  if (const Worker* failure = FirstFailure(workers)) return failure->status();
  int64_t peak_rss_bytes = 0;
  for (const Worker& worker : workers) peak_rss_bytes += worker.peak_rss_bytes();
  return peak_rss_bytes;
}

}  // namespace preon
