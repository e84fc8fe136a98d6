#include "pipeline/float_outputs.h"

#include <functional>
#include <string_view>

#include "eval/compare_runs.h"
#include "eval/open_model.h"

namespace preon {
namespace {

constexpr size_t kMaxKeptOutputs = 256;  // as many as a comparison looks at
constexpr size_t kMaxOutputBytes = size_t{16} << 20;
constexpr size_t kMaxSpreadBytes = size_t{4} << 20;

size_t HashOf(const std::vector<NamedTensor>& feeds) {
  size_t hash = feeds.size();
  for (const NamedTensor& feed : feeds) {
    const std::hash<std::string_view> of;
    if (feed.tensor.type() == DataType::kString) {
      for (const std::string& text : feed.tensor.strings()) hash = hash * 31 + of(text);
      continue;
    }
    const std::span<const std::byte> bytes = feed.tensor.bytes();
    hash = hash * 31 + of(feed.name);
    hash = hash * 31 + of(ShapeToString(feed.tensor.shape()));
    hash = hash * 31 + of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return hash;
}

}  // namespace

void FloatOutputs::Keep(const Batch& batch, const std::vector<NamedTensor>& outputs, Use use) {
  Room& taken = taken_[use];
  if (taken.runs == kMaxKeptOutputs) return;
  for (const NamedTensor& output : outputs) taken.bytes += output.tensor.bytes().size();
  if (taken.bytes > (use == Use::kFigures ? kMaxOutputBytes : kMaxSpreadBytes)) return;
  ++taken.runs;
  runs_[batch.first_sample] = {HashOf(batch.feeds), outputs};
}

const std::vector<NamedTensor>* FloatOutputs::Find(const Batch& batch) const {
  const auto run = runs_.find(batch.first_sample);
  return run != runs_.end() && run->second.feeds_hash == HashOf(batch.feeds) ? &run->second.outputs : nullptr;
}

Result<std::vector<NamedTensor>> FloatModel::Outputs(const Batch& batch) {
  if (const std::vector<NamedTensor>* outputs = known_.Find(batch)) return *outputs;
  {
    const std::lock_guard lock(opening_);
    if (!session_) {
      PREON_ASSIGN_OR_RETURN(session_, OpenSession(path_, {.threads = threads_}, context_));
    }
  }
  return OutputsOf(*session_, context_)(batch);
}

}  // namespace preon
