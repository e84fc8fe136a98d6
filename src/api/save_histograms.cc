#include "api/save_histograms.h"

#include <set>
#include <utility>

#include "base/output/atomic_file.h"
#include "base/output/staged_folder.h"
#include "quantize/plan/plan_options.h"
#include "report/html/tensor_card.h"

namespace preon {
namespace {

constexpr size_t kLongestName = 200;  // of 255 that file systems take, with room for number and ending

std::string Safe(std::string name) {
  for (char& c : name) {
    const bool unsafe = c == '/' || c == '.' || c == ':' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
    if (unsafe) c = '_';
  }
  if (name.size() > kLongestName) {
    size_t end = kLongestName;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // not inside a UTF-8 character
    name.resize(end);
  }
  return name.empty() ? "_" : name;
}

}  // namespace

std::vector<std::string> PictureNames(const std::vector<std::string>& tensors) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const std::string& tensor : tensors) {
    const std::string safe = Safe(tensor);
    std::string name = safe;
    for (int number = 2; !taken.insert(name).second; ++number) name = StrCat(safe, "_", number);
    names.push_back(std::move(name));
  }
  return names;
}

Status WriteHistograms(const Analysis& analysis, const std::string& folder) {
  PREON_ASSIGN_OR_RETURN(StagedFolder drawn, StagedFolder::Open(folder));
  std::vector<std::string> tensors;
  for (const TensorAnalysis& tensor : analysis.tensors) tensors.push_back(tensor.name);
  std::vector<std::string> names = PictureNames(tensors);
  for (size_t index = 0; index < names.size(); ++index) {
    names[index] += ".svg";
    PREON_RETURN_IF_ERROR(WriteFileAtomically(drawn.File(names[index]), TensorPicture(analysis.tensors[index])));
  }
  return drawn.Commit();
}

Status SaveHistograms(const CalibrationData& data, const RunInputs& run) {
  const PlanOptions& plan = run.options.plan;
  PREON_ASSIGN_OR_RETURN(const IntFormat format, RangeFormat(plan.activation, plan.activation_symmetric));
  const AnalyzeOptions how{.methods = run.builtins.methods, .chosen = *run.choices.method, .format = format};
  PREON_ASSIGN_OR_RETURN(const Analysis analysis, Analyze(data, nullptr, how));
  if (analysis.tensors.empty())
    run.context.Log(LogLevel::kWarning, "--save-histograms: no tensor was observed in this run: no pictures");
  return WriteHistograms(analysis, run.options.outputs.histograms);
}

}  // namespace preon
