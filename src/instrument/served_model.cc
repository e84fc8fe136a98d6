#include "instrument/served_model.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/text.h"
#include "data/array_layout.h"
#include "instrument/output_name.h"

namespace preon {
namespace {

// A bad value is said and not used: the program serves on.

void ApplyCount(const char* variable, int64_t& field, LogLine log) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return;
  const Result<int64_t> count = ParseCount(text);
  if (count.ok() && *count > 0) {
    field = *count;
  } else {
    log(StrCat(variable, ": got '", text, "', wanted a number of at least 1; using ", field));
  }
}

/// "" where the server has not said it, or said it badly.
std::string PatternOf(const ServedSource& source, LogLine log) {
  constexpr char kOption[] = "preon.calib_out", kVariable[] = "PREON_CALIB_OUT";
  std::string out = source.host == nullptr ? "" : HostSetting(*source.host, kOption);
  if (const char* variable = std::getenv(kVariable); out.empty() && variable != nullptr) out = variable;
  if (out.empty()) {
    log(StrCat("no statistics are collected: set ", kVariable, " or the session option ", kOption,
               " to the folder to collect into"));
    return "";
  }
  Result<std::string> pattern = OutputPattern(out, source.description);
  if (pattern.ok()) {
    std::error_code ignored;
    if (*pattern == out && !out.ends_with(".calib") && !std::filesystem::exists(out, ignored)) {
      log(StrCat(kVariable, ": there is no folder '", out,
                 "', so it is the name of a file; for a folder make it first, or end its name with '/'"));
    }
    return *pattern;
  }
  log(StrCat(kVariable, ": ", pattern.status().message(), "; no statistics are collected"));
  return "";
}

/// Where nothing is collected.
class NoObserver final : public TensorObserver {
 public:
  void Observe(size_t, const ObservedValue&, const ParallelFor&) override {}
};

class InstrumentedModel final : public ServedModel {
 public:
  InstrumentedModel(Instrumentation plan, const std::string& pattern, LogLine log)
      : inputs_(plan.inputs), outputs_(plan.outputs) {
    if (!pattern.empty()) collector_.emplace(std::move(plan), pattern, log);
    context_.log = [log](LogLevel level, std::string_view message) {
      if (level == LogLevel::kWarning) log(message);
    };
  }

  Status Open(const ServedSource& source, ServedSessionOptions options) {
    options.session = {.threads = context_.ThreadCount(), .host = source.host};
    TensorObserver* observer = &nobody_;
    if (collector_) observer = &*collector_;
    PREON_ASSIGN_OR_RETURN(session_,
                           ServedSession::Open(source.model, source.block_model, options, observer, context_));
    return Status::Ok();
  }

  Result<std::vector<NamedTensor>> Run(std::vector<Tensor> tensors) override {
    if (tensors.size() != inputs_.size()) {
      return Error(ErrorId::kModelInvalid, "instrumented model: ", tensors.size(), " inputs, wanted ", inputs_.size());
    }
    std::vector<NamedTensor> feeds;
    for (size_t input = 0; input < tensors.size(); ++input)
      feeds.push_back({inputs_[input], std::move(tensors[input])});
    const auto run = [&] { return session_->Run(feeds, context_, outputs_); };
    const int64_t samples = SamplesOfRun(session_->inputs(), feeds);
    return samples == 0 || !collector_ ? run() : collector_->Watch(samples, run);
  }

 private:
  std::vector<std::string> inputs_, outputs_;
  RunContext context_;
  NoObserver nobody_;
  std::optional<Collector> collector_;
  std::optional<ServedSession> session_;  // goes first: its kernels know the observer
};

}  // namespace

Result<std::unique_ptr<ServedModel>> OpenInstrumented(const ServedSource& source, LogLine log) {
  PREON_ASSIGN_OR_RETURN(Description description, ParseDescription(source.description));
  ApplyCount("PREON_CALIB_EVERY", description.plan.every, log);
  ApplyCount("PREON_CALIB_ONE_IN", description.plan.one_in, log);
  auto model = std::make_unique<InstrumentedModel>(std::move(description.plan), PatternOf(source, log), log);
  PREON_RETURN_IF_ERROR(model->Open(source, description.session));
  return std::unique_ptr<ServedModel>(std::move(model));
}

}  // namespace preon
