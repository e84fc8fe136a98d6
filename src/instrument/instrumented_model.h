// The instrumented model: ONNX with one node, which holds the model to serve and what to observe in it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "calib/calibration.h"
#include "ir/graph.h"
#include "runtime/served/served_session.h"

namespace preon {

/// What an instrumented model collects. Where to is for the one who serves it (served_model.h).
struct Instrumentation {
  CalibrationData header;                    ///< the .calib without samples and tensors
  std::vector<std::string> inputs, outputs;  ///< of the model, in its order
  StatisticsRequest request;  ///< its tensors are those of the .calib, header.derived among them; no `others`
  SketchMode mode = SketchMode::kSampled;
  int64_t every = 1000;  ///< runs from one save to the next
  int64_t one_in = 1;    ///< of so many runs is observed

  /// The tensors that are not derived, in the order of the observers' indices.
  std::vector<std::string> Observed() const;
};

/// The Instrumented node's attribute for people and for ParseDescription: JSON in ASCII.
std::string WriteDescription(const Instrumentation& plan, const PackedModel& packed);

struct Description {
  Instrumentation plan;
  ServedSessionOptions session;  ///< without SessionOptions
};
/// Errors: kModelInvalid for another version's description, and for what no instrumented model of ours has: a model is
/// not trusted by the program that serves it (docs/design/hostile-input.md).
Result<Description> ParseDescription(std::string_view json);

/// A model with the inputs, outputs, names, metadata and doc strings of `source`, and one node.
Model MakeInstrumented(const Model& source, const Instrumentation& plan, const PackedModel& packed);

/// What ParseDescription makes of the node's attribute.
Result<Description> DescriptionOf(const Node& instrumented);

/// The instrumented model's node; null for any other model.
const Node* FindInstrumented(const Graph& graph);

/// Errors: kAlreadyInstrumented.
Status CheckNotInstrumented(const Model& model);

}  // namespace preon
