// What the observer library reads inside a server: the description of an instrumented model, and the model in it.
#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "fuzz.h"
#include "instrument/instrumented_model.h"
#include "ir/node_editor.h"
#include "runtime/observed_adds.h"
#include "runtime/observer_graph.h"

namespace preon {
namespace {

void FuzzDescription(const std::string& text) {
  const Result<Description> description = ParseDescription(text);
  if (!description.ok()) return;
  const Instrumentation& plan = description->plan;
  PREON_CHECK(plan.every > 0 && plan.one_in > 0 && !plan.Observed().empty());
  for (const std::string& tensor : plan.request.tensors) PREON_CHECK(Printable(tensor) == tensor);
  PREON_CHECK(Printable(plan.header.setup) == plan.header.setup);
}

void FuzzModel(const std::string& bytes) {
  Result<NodeEditor> editor = NodeEditor::Parse(bytes);
  if (!editor.ok()) return;
  Model& model = editor->model();
  (void)HasBlockedMarker(model);
  if (!ReplaceMarkers(model, /*count=*/3, /*block=*/8).ok()) return;
  FuseObservedAdds(model.graph);
  if (model.graph.SortTopologically().ok()) (void)editor->Serialize().size();
}

}  // namespace

void FuzzOne(const std::string& path) {
  const std::string bytes = ReadFile(path).value();
  FuzzDescription(bytes);
  FuzzModel(bytes);
}

}  // namespace preon
