// Loading, saving, checking, shape inference and opset conversion: the only place with onnx.h and protobuf in ir/.
#pragma once

#include <string>

#include "ir/graph.h"

namespace preon {

struct LoadOptions {
  /// Bytes instead of a file; `path` is then only a name for messages and the folder of external data.
  std::string_view bytes;
};

/// Loads a model: opset 7 to the newest that the ONNX library knows, IR version 3 on. Weights stay in the mapped
/// file where they can (raw data, external data); Constant nodes become initializers later (a pass), not here.
/// Errors: kModelNotFound, kModelEmpty, kModelMalformed, kModelInvalid, kOpsetUnsupported, kExternalDataMissing,
/// kExternalDataOutside (absolute paths, "..", symbolic links that leave the folder).
Result<Model> LoadModel(const std::string& path, const LoadOptions& options = {});

struct SaveOptions {
  /// Put weights into one side file `<name>.data` beside the model; forced above 2 GB. Both files are whole or absent.
  bool external_data = false;
};

/// Saves atomically. Value infos are written; nodes that the loader named are written without their name only if
/// nothing refers to it. Deterministic: same model, same bytes. Errors: kIoWrite, kOutputFolder.
Status SaveModel(const Model& model, const std::string& path, const SaveOptions& options = {});

/// The same bytes as SaveModel, in memory. Errors: kUnsupported above 2 GB.
Result<std::string> SerializeModel(const Model& model);

/// A model in memory apart from its larger weights.
struct DetachedModel {
  std::string bytes;                   ///< says of the weights that they are in an external file
  std::vector<NamedTensor> weights;    ///< those above 1 KiB, shared with the model
};

/// For a reader that takes the weights from memory, without copying them. Errors: those of SerializeModel, for a model
/// that is too large without its weights.
Result<DetachedModel> DetachWeights(const Model& model);

/// Fills value infos (types and shapes; data propagation on). Never fatal: what can't be inferred stays unknown, and
/// the reason comes back in `warning`. Large weights are not copied.
void InferShapes(Model& model, std::string* warning = nullptr);

/// onnx.checker on the structure (weights not copied). Errors: kModelInvalid with the checker's words.
Status CheckModel(const Model& model);

/// Raises ai.onnx to `opset` (no-op when it is there already) and the IR version with it. Names of tensors and nodes stay.
/// Errors: kOpsetConversion naming the operator; the model is then unchanged.
Status ConvertOpset(Model& model, int64_t opset);

/// Newest ai.onnx opset the linked ONNX library knows, and the newest that the runtime accepts for writing (21).
int64_t NewestOpset();

}  // namespace preon
