// Preon as a custom-operator library: a program that has ONNX Runtime loads it, and models with the node
// preon.instrument.Instrumented open there. (docs/design/instrument.md)
#pragma once

#include "runtime/served/served_node.h"

// The runtime's own types, by name alone: its headers are for runtime/.
struct OrtApiBase;
struct OrtSessionOptions;
struct OrtStatus;

namespace preon {

/// What RegisterCustomOps of the library does: takes over the host's runtime and tells it the operator. Null, or why
/// not.
OrtStatus* RegisterServedModels(OrtSessionOptions* options, const OrtApiBase* runtime, OpenServedModel open);

}  // namespace preon
