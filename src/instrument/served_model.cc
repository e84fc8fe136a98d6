#include "instrument/served_model.h"

#include <cstdlib>
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

void ApplyEnvironment(Instrumentation& plan, LogLine log) {
  if (const char* out = std::getenv("PREON_CALIB_OUT"); out != nullptr && *out != '\0') {
    const Status usable = CheckOutputPattern(out);
    if (usable.ok()) plan.calib_out = out;
    if (!usable.ok()) log(StrCat("PREON_CALIB_OUT: ", usable.message(), "; taking '", plan.calib_out, "'"));
  }
  ApplyCount("PREON_CALIB_EVERY", plan.every, log);
  ApplyCount("PREON_CALIB_ONE_IN", plan.one_in, log);
}

class InstrumentedModel final : public ServedModel {
 public:
  InstrumentedModel(Instrumentation plan, LogLine log)
      : inputs_(plan.inputs), outputs_(plan.outputs), collector_(std::move(plan), log) {
    context_.log = [log](LogLevel level, std::string_view message) {
      if (level == LogLevel::kWarning) log(message);
    };
  }

  Status Open(const ServedSource& source, ServedSessionOptions options) {
    options.session = {.threads = context_.ThreadCount(), .host = source.host};
    PREON_ASSIGN_OR_RETURN(session_,
                           ServedSession::Open(source.model, source.block_model, options, &collector_, context_));
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
    return samples == 0 ? run() : collector_.Watch(samples, run);
  }

 private:
  std::vector<std::string> inputs_, outputs_;
  RunContext context_;
  Collector collector_;
  std::optional<ServedSession> session_;  // goes first: its kernels know the collector
};

}  // namespace

Result<std::unique_ptr<ServedModel>> OpenInstrumented(const ServedSource& source, LogLine log) {
  PREON_ASSIGN_OR_RETURN(Description description, ParseDescription(source.description));
  ApplyEnvironment(description.plan, log);
  auto model = std::make_unique<InstrumentedModel>(std::move(description.plan), log);
  PREON_RETURN_IF_ERROR(model->Open(source, description.session));
  return std::unique_ptr<ServedModel>(std::move(model));
}

}  // namespace preon
