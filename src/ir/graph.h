// The graph that every stage edits: nodes, tensors by name, constant initializers; producers and consumers are
// indexed and stay right through every edit. No protobuf here; ir/model_io.h loads and saves.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/file.h"
#include "base/name_map.h"
#include "base/status.h"
#include "base/tensor.h"

namespace preon {

/// An attribute that preon keeps but does not look into (sub-graphs, sparse tensors, types): its serialized
/// AttributeProto, and the outer tensors that a sub-graph reads. Those count as consumers of the node.
struct OpaqueAttribute {
  std::string serialized;
  std::vector<std::string> captures;  ///< outer-scope tensor names read inside, sorted, unique
  bool is_graph = false;
};

using AttributeValue = std::variant<int64_t, float, std::string, Tensor, std::vector<int64_t>, std::vector<float>,
                                    std::vector<std::string>, OpaqueAttribute>;

/// The branches of an If, as the attributes that hold them are called.
inline constexpr const char* kIfBranches[] = {"then_branch", "else_branch"};

/// A branch of a flat If, by the If's name; an empty name = outside of all.
struct IfBranch {
  std::string if_node;
  size_t branch = 0;  ///< index into kIfBranches
  bool operator==(const IfBranch&) const = default;
};

/// One operator. Change inputs and outputs only through Graph, which keeps the index.
struct Node {
  std::string name;  ///< unique and never empty inside a Graph (assigned on load where the file has none)
  std::string op_type;
  std::string domain;  ///< "" = ai.onnx
  std::string doc_string;
  std::map<std::string, AttributeValue> attributes;
  std::map<std::string, std::string> metadata;
  /// Names of the user's nodes this one stands for (its own, and those that passes folded into it), so that
  /// exclusions and overrides by name stay valid through every rewrite.
  std::vector<std::string> origins;
  bool named_by_user = true;  ///< false: the name was assigned on load and is not written back
  std::string residue;  ///< serialized NodeProto of what preon does not model (overload, doc strings of attributes)
  /// Where the file has the node: a writer puts it there again, or further out where something there reads it. Nothing
  /// for nodes made later, which go where they are read (ir/if_scopes.h).
  std::optional<IfBranch> home;

  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  /// Input `index`, or "" when absent (optional inputs may be empty or cut off).
  const std::string& input(size_t index) const;
  const std::string& output(size_t index = 0) const;
  /// The first output that is not left out; "" where there is none.
  const std::string& FirstOutput() const;
  /// Outer-scope tensors that sub-graphs of this node read.
  std::vector<std::string> Captures() const;
  bool HasSubgraph() const;
  /// An If whose branches lie in the graph itself: it reads its condition, the outputs of then, the outputs of else.
  /// Its branch attributes hold no nodes and are no sub-graphs. (docs/design/subgraphs.md)
  bool IsFlatIf() const;
  /// Does it lie in a branch of an If in the file? It may only be possible where that branch is taken.
  bool IsInBranch() const { return home && !home->if_node.empty(); }

  int64_t Int(std::string_view attribute, int64_t fallback) const;
  float Float(std::string_view attribute, float fallback) const;
  std::string String(std::string_view attribute, std::string_view fallback) const;
  /// Empty when absent.
  std::vector<int64_t> Ints(std::string_view attribute) const;
  bool Has(std::string_view attribute) const { return attributes.find(std::string(attribute)) != attributes.end(); }
  /// True for an operator of the standard domain with this type.
  bool Is(std::string_view type) const { return op_type == type && domain.empty(); }

 private:
  friend class Graph;
  std::vector<std::string> inputs_, outputs_;
  int64_t order_ = 0;  ///< grows along Graph::nodes(); gaps leave room to insert
};

/// Static facts of a tensor, from the file or from shape inference.
struct ValueInfo {
  DataType type = DataType::kUndefined;
  std::optional<Shape> shape;          ///< unknown rank = nullopt; unknown dims = kDynamicDim
  std::vector<std::string> dim_names;  ///< symbolic names, "" where none; empty if shape is unknown
  std::string doc_string;
  std::string opaque_type;  ///< serialized TypeProto of a sequence/optional/map; empty for tensors
};

/// One place that reads a tensor. `captured` uses sit inside a sub-graph of `node` and can't be rewired; `input` means
/// nothing for them.
struct Use {
  Node* node;
  size_t input;
  bool captured;
};

/// A directed acyclic graph in topological order. Names of graph inputs and outputs never change.
/// Copies are cheap in bytes: nodes are copied, constant tensors are shared. Not thread-safe.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph& other);
  Graph& operator=(const Graph& other);
  Graph(Graph&&) noexcept = default;
  Graph& operator=(Graph&&) noexcept = default;

  std::string name, doc_string;

  // --- Reading -------------------------------------------------------------------------------------------------
  /// Nodes in topological order; pointers stay valid until the node is removed.
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  /// Graph inputs without those that merely repeat an initializer's name (see `overridable_initializers`).
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  bool IsInput(std::string_view tensor) const;
  bool IsOutput(std::string_view tensor) const;
  /// The constant under this name, or null.
  const Tensor* Initializer(std::string_view tensor) const;
  const std::map<std::string, Tensor, std::less<>>& initializers() const { return initializers_; }
  /// Node that writes the tensor; null for inputs, initializers and unknown names.
  Node* Producer(std::string_view tensor) const;
  /// Places that read the tensor, in graph order; graph outputs are not among them (IsOutput).
  std::vector<Use> Uses(std::string_view tensor) const;
  /// Number of uses, plus one if it is a graph output.
  size_t UseCount(std::string_view tensor) const;
  bool HasCapturedUse(std::string_view tensor) const;
  /// Null when nothing is known. Initializers answer with their own type and shape.
  const ValueInfo* Info(std::string_view tensor) const;
  DataType TypeOf(std::string_view tensor) const;
  std::optional<Shape> ShapeOf(std::string_view tensor) const;
  /// The shape; where it depends on the run, the typical one as far as it is known.
  std::optional<Shape> TypicalShapeOf(std::string_view tensor) const;
  Node* FindNode(std::string_view node_name) const;
  /// The node behind `node` in the order, or null: what AddNode takes as `before` to insert behind `node`.
  const Node* NodeBehind(const Node* node) const;
  /// What AddNode takes as `before` to insert a reader of the tensor as early as can be: behind its producer, else in
  /// front of all.
  const Node* FirstPlaceToRead(std::string_view tensor) const;
  /// True when any node, input, initializer or captured name uses it.
  bool HasTensor(std::string_view tensor) const;

  // --- Editing -------------------------------------------------------------------------------------------------
  void AddInput(std::string tensor, ValueInfo info);
  void AddOutput(std::string tensor, ValueInfo info);
  /// Appends (or inserts right before `before`) a node. An empty or taken name is made unique. An output that another
  /// node writes is taken over from it; that node must then go.
  Node* AddNode(std::string op_type, std::vector<std::string> inputs, std::vector<std::string> outputs,
                std::string node_name = "", std::string domain = "", const Node* before = nullptr);
  /// Sets any attribute; the only way to set one with sub-graphs, whose captures the index holds.
  void SetAttribute(Node* node, const std::string& attribute, AttributeValue value);
  /// Its outputs must have no use left (or be written by another node already).
  void RemoveNode(Node* node);
  void SetInput(Node* node, size_t input, std::string tensor);  ///< "" = leave out; extends the list
  void SetInputs(Node* node, std::vector<std::string> tensors);
  void SetOutput(Node* node, size_t output, std::string tensor);
  void SetOutputs(Node* node, std::vector<std::string> tensors);
  /// All non-captured uses of `from` read `to`. Graph outputs are not changed. The order of nodes is not either: where
  /// `to` is written behind a reader, SortTopologically() must follow.
  void ReplaceUses(std::string_view from, const std::string& to);
  /// The producer of `tensor` writes `fresh` instead (uses and graph outputs unchanged): makes room behind it.
  void RenameOutput(std::string_view tensor, const std::string& fresh);
  void SetInitializer(const std::string& tensor, Tensor value);  ///< adds or replaces
  void RemoveInitializer(std::string_view tensor);
  /// Initializers without uses that are no graph outputs go; returns how many.
  size_t RemoveUnusedInitializers();
  void SetInfo(const std::string& tensor, ValueInfo info);
  /// Drops inferred facts (not those of inputs, outputs and initializers), before a new inference.
  void ClearInferredInfo();
  /// `wanted` if free, else `wanted_1`, `wanted_2`, …; reserved against later calls only once used.
  std::string UniqueTensorName(std::string_view wanted) const;
  std::string UniqueNodeName(std::string_view wanted) const;
  /// Stable topological order. Errors: kModelInvalid naming a node of a cycle or with an undefined input.
  Status SortTopologically();
  /// Index and structure agree (for tests and after passes): every input defined before use, names unique.
  Status CheckIntegrity() const;

  /// Initializers that the file also lists as graph inputs (IR 3 style); kept for writing back.
  std::set<std::string, std::less<>> overridable_initializers;
  /// Constants that preon keeps but does not look into (sparse initializers): defined, but without a Tensor.
  std::set<std::string, std::less<>> opaque_constants;
  /// Of tensors whose shape depends on the run: what estimates take for it (passes/typical_shapes.h).
  std::map<std::string, Shape, std::less<>> typical_shapes;
  /// Tensors whose facts were inferred and did not come with the file: they are not saved with the model.
  std::set<std::string, std::less<>> inferred;
  /// Serialized GraphProto of what preon does not model: sparse initializers, doc strings of tensors, denotations, ….
  std::string residue;

 private:
  using NodeList = std::vector<std::unique_ptr<Node>>;
  void AddReader(const std::string& tensor, Node* node);
  void RemoveReader(const std::string& tensor, const Node* node);
  void AddReaders(Node* node);
  void RemoveReaders(const Node* node);
  void AddProducer(const std::string& tensor, Node* node);
  void RemoveProducer(const std::string& tensor, const Node* node);
  void IndexNode(Node* node);
  void Reindex();
  void ForgetInfoIfUndefined(const std::string& tensor);
  NodeList::const_iterator Locate(const Node* node) const;
  void Renumber();
  /// True for what is there before any node runs: inputs, initializers, opaque constants.
  bool IsSource(std::string_view tensor) const;
  Status CheckIndex() const;

  NodeList nodes_;
  std::vector<std::string> inputs_, outputs_;
  std::map<std::string, Tensor, std::less<>> initializers_;
  NameMap<ValueInfo> infos_;
  NameMap<Node*> producers_;
  NameMap<std::vector<Node*>> readers_;  // a node once per reading input or capture
  NameMap<Node*> nodes_by_name_;
};

/// The only place that reads `tensor`, and reads it once; null where more read it, a sub-graph does, or it is a graph
/// output.
Node* OnlyReader(const Graph& graph, std::string_view tensor);

/// A model: the graph and everything around it that must survive.
/// A file that holds weights of a model and that others may open under its path as long as a copy of `file` lives.
struct WeightFile {
  std::string path;
  MappedFile file;
};

struct Model {
  Graph graph;
  int64_t ir_version = 0;
  std::map<std::string, int64_t> opsets;  ///< domain ("" = ai.onnx) -> version
  std::string producer_name, producer_version, domain, doc_string;
  int64_t model_version = 0;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> opaque_functions;  ///< serialized FunctionProto, kept
  std::set<std::string> function_ops;         ///< "domain:name" defined by them
  std::string residue;                        ///< serialized ModelProto of what preon does not model (training, …)
  std::string source_path;                    ///< where it was loaded from; for messages
  std::vector<std::string> external_files;    ///< paths of its external data there
  std::optional<WeightFile> weight_file;      ///< some of the initializers lie in it; sessions map it themselves
  std::string fingerprint;                    ///< SHA-256 over the file and its external data's names and hashes

  int64_t opset() const;
  /// An empty model in which nodes of this one mean the same: versions and functions; of the same source.
  Model ForPart() const;
};

}  // namespace preon
