#include "quantize/targets/ort_cpu/padded_source.h"

#include <array>

#include "base/text.h"

namespace preon {
namespace {

// These may leave elements out; a largest one is no longer the source's, either.
constexpr std::array kParts = {"Slice", "Split", "Gather", "MaxPool", "Resize"};

}  // namespace

std::optional<PaddedSources::Source> PaddedSources::Find(const std::string& tensor) {
  if (const auto known = found_.find(tensor); known != found_.end()) return known->second;
  std::optional<Source> source = Look(tensor);
  found_.emplace(tensor, source);
  return source;
}

std::optional<PaddedSources::Source> PaddedSources::Look(const std::string& tensor) {
  const Node* node = graph_.Producer(tensor);
  if (node == nullptr) return graph_.Initializer(tensor) == nullptr ? std::optional(Source{tensor}) : std::nullopt;
  if (!moves_(*node)) return Source{tensor};
  if (node->Is("Concat")) return OfConcat(*node);
  std::optional<Source> source = Find(node->input(0));
  if (!source) return source;
  if (Contains(kParts, node->op_type)) source->whole = false;
  if (node->Is("Pad")) source->padded = true;
  return source;
}

std::optional<PaddedSources::Source> PaddedSources::OfConcat(const Node& concat) {
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

std::string PaddedSources::Of(const std::string& tensor) {
  const std::optional<Source> source = Find(tensor);
  return source && source->whole && source->padded && source->tensor != tensor ? source->tensor : "";
}

void PaddedSources::AddTo(std::set<std::string>& tensors) {
  std::set<std::string> sources;
  for (const std::string& tensor : tensors) sources.insert(Of(tensor));
  sources.erase("");
  tensors.merge(sources);
}

}  // namespace preon
