// NodeEditor: the nodes of a serialized model opened for editing, everything else kept as the bytes it is. Needs no
// protobuf, whose library knows every kind of message once per process: code that is loaded into other programs can't
// bring another copy of ONNX's.
#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace preon {

class NodeEditor {
 public:
  /// `bytes` outlive the editor. Errors: kModelMalformed.
  static Result<NodeEditor> Parse(std::string_view bytes);

  /// Of its nodes: names, inputs, outputs, operators, integer attributes, what sub-graphs read; of its tensors: types
  /// and shapes as far as the file has them. No values: initializers are opaque constants. Edit the nodes alone; those
  /// that are added may have attributes of type INT and INTS.
  Model& model() { return model_; }

  /// The model with its nodes as they are now.
  std::string Serialize() const;

 private:
  std::string_view before_, behind_;  // the model's fields around its graph
  std::string graph_fields_;          // the graph's fields but its nodes
  Model model_;
};

}  // namespace preon
