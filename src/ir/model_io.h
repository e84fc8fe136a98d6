// Loading, saving, checking, shape inference and opset conversion: the only place with onnx.h and protobuf in ir/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/output/atomic_file.h"
#include "ir/graph.h"

namespace preon {

struct LoadOptions {
  /// Bytes instead of a file; `path` is then only a name for messages and the folder of external data.
  std::string_view bytes;
  /// The model's one external file stays where it is as long as the model is used: becomes Model::weight_file.
  bool keep_weight_file = false;
  /// Calls of the model's own functions become their nodes: operators inside of functions can't be quantized.
  bool inline_functions = false;
};

/// For who hands the file to the runtime as it is: LoadModel checks it, too. Whether it is a model at all is the
/// runtime's to say. Errors: kModelNotFound, kIoRead, kModelInvalid, kModelTooLarge (ir/input/hostile_model.h).
Status CheckRunnable(const std::string& path);

/// Loads a model: opset 7 to the newest that the ONNX library knows, IR version 3 on. Weights are held once: external
/// data stay in the mapped file, raw data are moved out of the parsed message. Nodes are sorted, unnamed ones get a
/// name
/// (`Conv_12`), repeated names become unique. Sub-graphs and whatever else preon does not model are kept as they are.
/// Constant nodes become initializers later (a pass), not here.
/// Errors: kModelNotFound, kModelEmpty, kModelEncrypted, kModelMalformed, kModelInvalid, kModelTypeUnsupported,
/// kOpsetUnsupported,
/// kExternalDataMissing, kExternalDataOutside (absolute paths, "..", symbolic links that leave the folder),
/// kOutOfMemory.
Result<Model> LoadModel(const std::string& path, const LoadOptions& options = {});

struct SaveOptions {
  /// Put weights into one side file `<name>.<hash>.data` beside the model; forced above 2 GB.
  bool external_data = false;
  /// Files that are never removed, even where only the replaced model names them.
  std::vector<std::string> inputs;
};

/// A model that is written, but has no name yet: without Commit() nothing is left of it.
class StagedModel {
 public:
  /// With its side file.
  int64_t size_bytes() const;
  /// One rename gives both files their names. Errors: kIoWrite; nothing has changed then.
  Status Commit();

 private:
  friend Result<StagedModel> StageModel(const Model& model, const std::string& path, const SaveOptions& options);

  std::optional<AtomicFile> model_, weights_;
  std::string weights_path_;
  std::vector<std::string> inputs_;
};

/// Writes all of SaveModel but the names. Errors: those of SaveModel.
Result<StagedModel> StageModel(const Model& model, const std::string& path, const SaveOptions& options = {});

/// Saves atomically, weights straight from their tensors. Nodes that the loader named are written without a name; a
/// model of IR 3 with initializers that are no inputs is written as IR 4. Deterministic: same model, same bytes.
/// Errors: kIoWrite, kOutputFolder, kModelTooLarge (above 2 GB without the initializers).
Status SaveModel(const Model& model, const std::string& path, const SaveOptions& options = {});

/// The same bytes as SaveModel without external data, in memory. Errors: kModelTooLarge above 2 GB.
Result<std::string> SerializeModel(const Model& model);

/// A model in memory apart from its larger weights.
struct DetachedModel {
  std::string bytes;                 ///< says of the weights that they are in external files
  std::vector<NamedTensor> weights;  ///< those above 1 KiB that lie in no file, shared with the model
  std::string folder;                ///< where the model's weight file is; empty: it has none
};

/// For a reader that takes the weights from memory or from Model::weight_file, without copying them. Errors: those of
/// SerializeModel, for a model that is too large without its weights.
Result<DetachedModel> DetachWeights(const Model& model);

/// Moves the initializers above 1 KiB into a file in a temporary folder below `parent`, which becomes
/// Model::weight_file and lives as long as they do: weights that are not read then take no memory, however many
/// sessions have them. Errors: those of TempDir::Create, kIoWrite, kIoRead; the model is then unchanged.
Status MoveWeightsToFile(Model& model, const std::string& parent);

/// More than 1 GiB. The runtime needs them once more for each session that is open, so steps that need several sessions
/// or a second set of weights are left out unless asked for.
bool HasLargeWeights(const Graph& graph);

/// Moves weights into a temporary file where they are 48 MiB or more: they would be in memory twice otherwise, here and
/// in each session that runs the model. Says so where that fails; they stay in memory then.
void KeepWeightsInFile(Model& model, const RunContext& context);

/// Fills value infos (types and shapes; data propagation on). Never fatal: what can't be inferred stays unknown, and
/// the reason comes back in `warning`. Large weights are not copied.
void InferShapes(Model& model, std::string* warning = nullptr);

/// Shapes that the file states of inner tensors and that its operators contradict become what the operators give, apart
/// from dimensions that only the file knows: the runtime opens such a model, but not one to which more shapes are added
/// that follow from the wrong ones. Returns the tensors, in the order of their nodes.
std::vector<std::string> CorrectShapes(Model& model);

/// onnx.checker on the structure (weights not copied). Errors: kModelInvalid with the checker's words.
Status CheckModel(const Model& model);

/// Raises ai.onnx to `opset` (no-op when it is there already) and the IR version with it. Names of tensors and nodes
/// stay; nodes of other domains pass through, bodies of sub-graphs are converted. From IR 3, which had to list
/// initializers as inputs, they become constants. Infers shapes on the way. Errors: kOpsetConversion naming node and
/// operator; the model is then unchanged.
Status ConvertOpset(Model& model, int64_t opset);

/// Newest ai.onnx opset that the linked ONNX library knows.
int64_t NewestOpset();
/// Fills the table of all operators' schemas, which takes 20 ms: for a thread of its own. Whoever needs it first does
/// it otherwise.
void LoadOperatorSchemas();
/// All operator types of the standard's default domain.
std::vector<std::string> OperatorTypes();

}  // namespace preon
