#include "quantize/targets/ort_cpu/padded_source.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace preon {
namespace {

// These may leave elements out; a largest one is no longer the source's, either.
constexpr std::array kParts = {"Slice", "Split", "Gather", "MaxPool"};

struct Source {
  std::string tensor;
  bool whole = true;    // each of its elements
  bool padded = false;  // and some of them again
};

class Finder {
 public:
  Finder(const Graph& graph, const std::function<bool(const Node&)>& moves) : graph_(graph), moves_(moves) {}

  std::optional<Source> Find(const std::string& tensor) const {
    const Node* node = graph_.Producer(tensor);
    if (node == nullptr) return graph_.Initializer(tensor) == nullptr ? std::optional(Source{tensor}) : std::nullopt;
    if (node->Is("Concat")) return OfConcat(*node);
    if (!moves_(*node)) return Source{tensor};
    std::optional<Source> source = Find(node->input(0));
    if (!source) return source;
    if (Contains(kParts, node->op_type)) source->whole = false;
    if (node->Is("Pad")) source->padded = true;
    return source;
  }

 private:
  std::optional<Source> OfConcat(const Node& concat) const {
    std::optional<Source> all;
    for (const std::string& input : concat.inputs()) {
      const std::optional<Source> source = Find(input);
      if (!source || (all && all->tensor != source->tensor)) return Source{concat.output()};
      if (all)
        all->whole = all->whole || source->whole;
      else
        all = source;
    }
    if (all) all->padded = true;
    return all;
  }

  const Graph& graph_;
  const std::function<bool(const Node&)>& moves_;
};

}  // namespace

std::string PaddedSource(const Graph& graph, const std::string& tensor, const std::function<bool(const Node&)>& moves) {
  const std::optional<Source> source = Finder(graph, moves).Find(tensor);
  return source && source->whole && source->padded && source->tensor != tensor ? source->tensor : "";
}

void AddPaddedSources(const Graph& graph, const std::function<bool(const Node&)>& moves,
                      std::set<std::string>& tensors) {
  std::set<std::string> sources;
  for (const std::string& tensor : tensors) sources.insert(PaddedSource(graph, tensor, moves));
  sources.erase("");
  tensors.merge(sources);
}

}  // namespace preon
