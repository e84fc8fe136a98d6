// Padding written as Slice and Concat: what is padded.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "ir/graph.h"

namespace preon {

/// Finds what padding pads; remembers what it found, so ask one for all tensors of a graph.
class PaddedSources {
 public:
  /// @param moves  nodes that write codes of the tensors that they read: Concat, and others that give elements of their
  ///               input 0, with zeros at most. The same answer for the same node each time. Outlives this, like
  ///               `graph`.
  PaddedSources(const Graph& graph, const std::function<bool(const Node&)>& moves) : graph_(graph), moves_(moves) {}

  /// The tensor all of which, and of which alone, a tensor consists: by Concat of it and of slices of it, or Pad; ""
  /// where there is none, or it is the tensor itself. What quantizes that one serves both: they have the same extremes,
  /// and the smaller one is quantized.
  std::string Of(const std::string& tensor);

  /// Adds those of each of these tensors: Slice, Concat and Pad then move codes.
  void AddTo(std::set<std::string>& tensors);

 private:
  struct Source {
    std::string tensor;
    bool whole = true;    // each of its elements
    bool padded = false;  // and some of them again
  };

  std::optional<Source> Find(const std::string& tensor);
  std::optional<Source> Look(const std::string& tensor);
  std::optional<Source> OfConcat(const Node& concat);

  const Graph& graph_;
  const std::function<bool(const Node&)>& moves_;
  std::unordered_map<std::string, std::optional<Source>> found_;
};

}  // namespace preon
