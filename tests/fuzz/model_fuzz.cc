// The model loader, and what follows it in every run: check, shapes, conversion, writing.
#include "fuzz.h"
#include "ir/model_io.h"

namespace preon {

void FuzzOne(const std::string& path) {
  Result<Model> model = LoadModel(path);
  if (!model.ok()) return;
  (void)CheckModel(*model).ok();
  InferShapes(*model);
  if (!ConvertOpset(*model, NewestOpset()).ok()) return;
  const Result<std::string> bytes = SerializeModel(*model);
  if (bytes.ok()) (void)LoadModel(path, {.bytes = *bytes}).ok();
}

}  // namespace preon
