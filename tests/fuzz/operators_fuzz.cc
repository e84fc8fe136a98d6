// Attributes of operators as far as the runtime: what the loader lets through, the runtime has to stand.
//
// A file is a recipe: the number of an operator, then pairs of an attribute's number and a value's. So every mutation
// is a model that is well-formed but for its numbers, which blind mutation of ONNX files hardly ever makes.
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

#include "base/file.h"
#include "fuzz.h"
#include "ir/model_io.h"
#include "runtime/session.h"

namespace preon {
namespace {

using Ints = std::vector<int64_t>;

struct Operator {
  std::string name, domain;
  Shape input;
  std::vector<Shape> weights;
  std::vector<std::pair<std::string, AttributeValue>> attributes;
};

const std::vector<Operator>& Operators() {
  const std::pair<std::string, AttributeValue> kernel{"kernel_shape", Ints{3, 3}}, strides{"strides", Ints{1, 1}},
      dilations{"dilations", Ints{1, 1}}, pads{"pads", Ints{1, 1, 1, 1}}, group{"group", int64_t{1}};
  const auto one = [](const char* name, int64_t value) { return std::pair<std::string, AttributeValue>(name, value); };
  static const std::vector<Operator>& all = *new std::vector<Operator>{
      {"Conv", "", {1, 3, 8, 8}, {{3, 3, 3, 3}}, {group, kernel, strides, dilations, pads}},
      {"ConvTranspose",
       "",
       {1, 3, 8, 8},
       {{3, 3, 3, 3}},
       {group, kernel, strides, dilations, pads, {"output_padding", Ints{0, 0}}, {"output_shape", Ints{8, 8}}}},
      {"MaxPool",
       "",
       {1, 3, 8, 8},
       {},
       {kernel, strides, dilations, pads, one("ceil_mode", 1), one("storage_order", 0)}},
      {"AveragePool", "", {1, 3, 8, 8}, {}, {kernel, strides, dilations, pads, one("ceil_mode", 1)}},
      {"LpPool", "", {1, 3, 8, 8}, {}, {kernel, strides, dilations, pads, one("p", 2)}},
      {"LRN", "", {1, 3, 8, 8}, {}, {one("size", 3)}},
      {"DepthToSpace", "", {1, 4, 8, 8}, {}, {one("blocksize", 2)}},
      {"SpaceToDepth", "", {1, 4, 8, 8}, {}, {one("blocksize", 2)}},
      {"Split", "", {1, 4, 8, 8}, {}, {one("axis", 1), one("num_outputs", 1)}},
      {"Softmax", "", {1, 4, 8, 8}, {}, {one("axis", 1)}},
      {"Flatten", "", {1, 4, 8, 8}, {}, {one("axis", 1)}},
      {"Transpose", "", {1, 4, 8, 8}, {}, {{"perm", Ints{0, 2, 3, 1}}}},
      {"GroupNormalization", "", {1, 4, 8, 8}, {{4}, {4}}, {one("num_groups", 2)}},
      {"LayerNormalization", "", {1, 4, 8}, {{8}}, {one("axis", -1), one("stash_type", 1)}},
      {"LSTM", "", {2, 3, 4}, {{1, 16, 4}, {1, 16, 4}}, {one("hidden_size", 4), one("layout", 0)}},
      {"GRU", "", {2, 3, 4}, {{1, 12, 4}, {1, 12, 4}}, {one("hidden_size", 4), one("linear_before_reset", 0)}},
      {"Attention",
       "",
       {2, 3, 4},
       {{2, 3, 4}, {2, 3, 4}},
       {one("q_num_heads", 2), one("kv_num_heads", 2), one("qk_matmul_output_mode", 0)}},
      {"Attention",
       "com.microsoft",
       {2, 3, 4},
       {{4, 12}, {12}},
       {one("num_heads", 2), {"qkv_hidden_sizes", Ints{4, 4, 4}}, one("unidirectional", 0)}},
      {"MultiHeadAttention", "com.microsoft", {2, 3, 4}, {{2, 3, 4}, {2, 3, 4}}, {one("num_heads", 2)}},
  };
  return all;
}

constexpr int64_t kValues[] = {
    0, -1, INT32_MIN, INT32_MAX, int64_t{1} << 31, int64_t{1} << 62, INT64_MIN, INT64_MAX, 1, 2, 3, 7, 64, 65536};

// The last byte of a pair also chooses which element of a list, or that all are set, or its length changes.
void Change(AttributeValue& attribute, uint8_t choice) {
  const int64_t value = kValues[choice % std::size(kValues)];
  const size_t how = choice / std::size(kValues);
  Ints* list = std::get_if<Ints>(&attribute);
  if (list == nullptr)
    attribute = value;
  else if (how == 0)
    std::fill(list->begin(), list->end(), value);
  else if (how == 1)
    list->resize(static_cast<size_t>(std::clamp<int64_t>(value, 0, 65536)), 1);
  else if (!list->empty())
    (*list)[how % list->size()] = value;
}

Model Cook(std::string_view recipe) {
  const Operator& op = Operators()[static_cast<uint8_t>(recipe.empty() ? 0 : recipe[0]) % Operators().size()];
  Model model;
  model.ir_version = 10;
  model.opsets = {{"", 23}, {"com.microsoft", 1}};
  model.graph.name = "g";
  model.graph.AddInput("x", {.type = DataType::kFloat, .shape = op.input});
  std::vector<std::string> inputs = {"x"};
  for (const Shape& shape : op.weights) {
    Tensor ones = Tensor::Allocate(DataType::kFloat, shape);
    for (float& value : ones.Mutable<float>()) value = 1;
    inputs.push_back(StrCat("w", inputs.size()));
    model.graph.SetInitializer(inputs.back(), std::move(ones));
  }
  Node* node = model.graph.AddNode(op.name, inputs, {"y"}, "n", op.domain);
  for (const auto& [name, value] : op.attributes) node->attributes[name] = value;
  for (size_t at = 1; at + 1 < recipe.size() && !op.attributes.empty(); at += 2) {
    const auto& [name, value] = op.attributes[static_cast<uint8_t>(recipe[at]) % op.attributes.size()];
    Change(node->attributes[name], static_cast<uint8_t>(recipe[at + 1]));
  }
  model.graph.AddOutput("y", {});
  return model;
}

// Buffers may be as large as numbers say, which the machine should not feel.
void LimitMemory() {
#if !defined(__SANITIZE_ADDRESS__)
  constexpr rlim_t kBytes = rlim_t{8} << 30;
  const rlimit limit{kBytes, kBytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace

void FuzzOne(const std::string& path) {
  LimitMemory();
  const Model model = Cook(ReadFile(path).value());
  const Result<std::string> bytes = SerializeModel(model);
  if (!bytes.ok()) return;
  Result<Model> loaded = LoadModel(path, {.bytes = *bytes});
  if (!loaded.ok()) return;
  (void)CheckModel(*loaded).ok();
  InferShapes(*loaded);
  Result<Session> session = Session::OpenBytes(*bytes, {.spin_between_runs = false});
  if (!session.ok()) return;
  const Tensor input = Tensor::Allocate(DataType::kFloat, *model.graph.Info("x")->shape);
  (void)session->Run({{"x", input}}, {}).ok();
}

}  // namespace preon
