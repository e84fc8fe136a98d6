// NodePass: a pass that looks at one kind of node at a time and rewrites what it finds around it.
#pragma once

#include <string_view>
#include <vector>

#include "passes/pass.h"

namespace preon {

class NodePass : public Pass {
 public:
  std::string_view name() const final { return info_.name; }
  std::vector<std::string_view> aliases() const final { return info_.aliases; }
  std::string_view summary() const final { return info_.summary; }
  bool on_by_default() const final { return info_.on_by_default; }
  PassPhase phase() const final { return info_.phase; }
  bool works_in_bodies() const final { return info_.works_in_bodies; }
  /// Offers each node to Rewrite, in topological order, until a sweep changes nothing.
  Result<Effect> Apply(Model& model, const PassEnv& env) const final;

 protected:
  struct Info {
    std::string_view name, summary;
    std::vector<std::string_view> target_ops;  ///< standard operators to look at; empty = every node
    std::vector<std::string_view> aliases = {};
    bool on_by_default = true;
    PassPhase phase = PassPhase::kRounds;
    bool works_in_bodies = false;
  };
  explicit NodePass(Info info) : info_(std::move(info)) {}

  /// Checks first, then edits: true when it changed the graph, false when it left everything as it was. May remove
  /// `node` and its neighbours.
  virtual Result<bool> Rewrite(Model& model, Node& node, const PassEnv& env) const = 0;

 private:
  bool IsTarget(const Node& node) const;

  Info info_;
};

}  // namespace preon
