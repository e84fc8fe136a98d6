// Preon as a custom-operator library: a program that has ONNX Runtime loads it, and models with the node
// preon.instrument.Instrumented open there. (docs/design/instrument.md)
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "runtime/served_session.h"

// The runtime's own types, by name alone: its headers are for runtime/.
struct OrtApi;
struct OrtApiBase;
struct OrtSessionOptions;
struct OrtStatus;

namespace preon {

inline constexpr char kInstrumentDomain[] = "preon.instrument";
inline constexpr char kInstrumentedOp[] = "Instrumented";
/// Its attribute; its first inputs are PackedModel::model and PackedModel::block_model as uint8 constants, the others
/// the model's inputs; its outputs are the model's.
inline constexpr char kDescriptionAttribute[] = "description";

/// The model behind a node.
class ServedModel {
 public:
  virtual ~ServedModel() = default;
  /// Feeds in the order of the node's inputs, whose memory they borrow; results in that of its outputs. Any number at
  /// once.
  virtual Result<std::vector<NamedTensor>> Run(std::vector<Tensor> feeds) = 0;
};

/// What a node has for the one who opens its model; lives as long as the call.
struct ServedSource {
  std::string_view description, model, block_model;
  std::shared_ptr<const HostOptions> host;
};
using OpenServedModel = Result<std::unique_ptr<ServedModel>> (*)(const ServedSource& source);

/// What RegisterCustomOps of the library does: takes over the host's runtime and tells it the operator. Null, or why
/// not.
OrtStatus* RegisterServedModels(OrtSessionOptions* options, const OrtApiBase* runtime, OpenServedModel open);

/// For OrtGetApiBase of a library that is not linked with the runtime: stands in until the host hands its own over.
const OrtApiBase* NoRuntimeYet();

}  // namespace preon
