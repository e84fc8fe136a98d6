// OuterConstants: constants that a body of Loop or Scan reads from the graph around it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// Constants of the graph around a body as the body's own, while it is planned and written. Codes lie in the body then:
/// a DequantizeLinear outside would hand in floats, and runtimes could not fuse it.
class OuterConstants {
 public:
  OuterConstants(const Graph& outer, Graph& body) : body_(body) {
    for (const std::string& input : std::vector(body.inputs())) {
      const Tensor* value = outer.Initializer(input);
      if (value == nullptr) continue;
      const std::string own = outer.UniqueTensorName(body.UniqueTensorName(input + "_inside"));
      if (!Move(input, own)) continue;
      body.SetInitializer(own, *value);
      outer_names_[own] = input;
    }
  }

  /// By the body's own names.
  const std::map<std::string, std::string>& outer_names() const { return outer_names_; }

  /// Who still reads one in float reads the outer one again.
  void GiveBack() {
    for (const auto& [own, outer] : outer_names_) {
      Move(own, outer);
      body_.RemoveInitializer(own);
    }
  }

 private:
  bool Move(const std::string& from, const std::string& to) {
    bool any = false;
    for (const Use& use : body_.Uses(from)) {
      if (use.captured) continue;
      body_.SetInput(use.node, use.input, to);
      any = true;
    }
    return any;
  }

  Graph& body_;
  std::map<std::string, std::string> outer_names_;
};

}  // namespace preon
