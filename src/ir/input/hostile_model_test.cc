// What crashes or hangs the runtime, each with the value next to it that is fine.
#include "ir/input/hostile_model.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

namespace preon {
namespace {

onnx::ModelProto OneNode(const std::string& op) {
  onnx::ModelProto model;
  onnx::NodeProto* node = model.mutable_graph()->add_node();
  node->set_op_type(op);
  node->set_name("n");
  return model;
}

void Set(onnx::NodeProto* node, const std::string& name, int64_t value) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}

void SetAll(onnx::NodeProto* node, const std::string& name, const std::vector<int64_t>& values) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  attribute->mutable_ints()->Assign(values.begin(), values.end());
}

void ExpectRefused(const onnx::ModelProto& model, const std::string& says) {
  const Status status = CheckHostileModel(model);
  EXPECT_EQ(status.id(), ErrorId::kModelInvalid) << says;
  EXPECT_NE(status.message().find(says), std::string::npos) << status.message();
}

TEST(HostileModel, Attributes) {
  const struct {
    const char *op, *attribute;
    std::vector<int64_t> bad, good;
  } cases[] = {{"ConvTranspose", "group", {0, -1, int64_t{1} << 62}, {1, 64}},
               {"Conv", "strides", {0, -1}, {1, 2}},
               {"MaxPool", "kernel_shape", {0}, {3}},
               {"Conv", "dilations", {0, INT64_MAX}, {1}},
               {"DepthToSpace", "blocksize", {0, int64_t{1} << 62}, {2}},
               {"RoiAlign", "sampling_ratio", {int64_t{1} << 62, -1}, {0, 2}},
               {"GatherND", "batch_dims", {INT64_MIN, -1, 65}, {0, 1}},
               {"Attention", "q_num_heads", {0, INT64_MIN}, {8}},
               {"Attention", "kv_num_heads", {0, -8}, {8}},
               {"LSTM", "hidden_size", {0}, {128}},
               {"Pad", "pads", {INT64_MIN}, {-1, 0}}};
  for (const auto& [op, attribute, bad, good] : cases) {
    for (const int64_t value : bad) {
      for (const bool list : {false, true}) {
        onnx::ModelProto model = OneNode(op);
        onnx::NodeProto* node = model.mutable_graph()->mutable_node(0);
        list ? SetAll(node, attribute, {1, value}) : Set(node, attribute, value);
        ExpectRefused(model, StrCat("node n (", op, "): attribute ", attribute, ": got ", value));
      }
    }
    for (const int64_t value : good) {
      onnx::ModelProto model = OneNode(op);
      Set(model.mutable_graph()->mutable_node(0), attribute, value);
      EXPECT_TRUE(CheckHostileModel(model).ok()) << attribute << " " << value;
    }
  }
}

// Wherever the runtime looks: sub-graphs and functions, also those that nothing calls.
TEST(HostileModel, AllGraphs) {
  onnx::ModelProto inside = OneNode("If");
  onnx::AttributeProto* branch = inside.mutable_graph()->mutable_node(0)->add_attribute();
  branch->set_name("then_branch");
  *branch->mutable_g() = OneNode("ConvTranspose").graph();
  Set(branch->mutable_g()->mutable_node(0), "group", 0);
  ExpectRefused(inside, "group: got 0");

  onnx::ModelProto function = OneNode("Relu");
  function.add_functions()->set_name("f");
  Set(function.mutable_functions(0)->add_node(), "group", 0);
  ExpectRefused(function, "function f");
}

TEST(HostileModel, Ranks) {
  const auto tensor = [](int rank) {
    onnx::TensorProto proto;
    proto.set_name("w");
    for (int axis = 0; axis < rank; ++axis) proto.add_dims(1);
    return proto;
  };
  for (const int rank : {kMaxRank, kMaxRank + 1, 100000}) {
    onnx::ModelProto weight = OneNode("Relu"), constant = OneNode("Constant"), input = OneNode("Relu");
    *weight.mutable_graph()->add_initializer() = tensor(rank);
    *constant.mutable_graph()->mutable_node(0)->add_attribute()->mutable_t() = tensor(rank);
    auto* shape = input.mutable_graph()->add_input()->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int axis = 0; axis < rank; ++axis) shape->add_dim();
    for (const onnx::ModelProto& model : {weight, constant, input}) {
      if (rank <= kMaxRank)
        EXPECT_TRUE(CheckHostileModel(model).ok());
      else
        ExpectRefused(model, StrCat(rank, " dimensions"));
    }
  }
}

/// f0 is one Relu, each fI calls the one before `calls` times; the graph calls the last.
onnx::ModelProto Tower(int levels, int calls) {
  onnx::ModelProto model = OneNode(StrCat("f", levels - 1));
  model.mutable_graph()->mutable_node(0)->set_domain("d");
  for (int level = 0; level < levels; ++level) {
    onnx::FunctionProto* function = model.add_functions();
    function->set_name(StrCat("f", level));
    function->set_domain("d");
    for (int call = 0; call < (level == 0 ? 1 : calls); ++call) {
      onnx::NodeProto* node = function->add_node();
      node->set_op_type(level == 0 ? "Relu" : StrCat("f", level - 1));
      if (level > 0) node->set_domain("d");
    }
  }
  return model;
}

TEST(HostileModel, Functions) {
  EXPECT_TRUE(CheckHostileModel(Tower(10, 2)).ok());
  onnx::ModelProto wide = Tower(2, 1);  // nodes that are no function's are not counted
  for (int64_t node = 0; node < 2 * kMaxExpandedNodes; ++node) wide.mutable_graph()->add_node()->set_op_type("Relu");
  EXPECT_TRUE(CheckHostileModel(wide).ok());
  EXPECT_TRUE(CheckHostileModel(Tower(kMaxFunctionDepth, 1)).ok());
  for (const auto& [levels, calls] : {std::pair(40, 2), {13, 10}, {60, 50}})
    EXPECT_EQ(CheckHostileModel(Tower(levels, calls)).id(), ErrorId::kModelTooLarge);
  ExpectRefused(Tower(kMaxFunctionDepth + 2, 1), "deep");
  ExpectRefused(Tower(5000, 1), "deep");
  onnx::ModelProto loop = Tower(3, 1);
  loop.mutable_functions(0)->mutable_node(0)->set_op_type("f2");
  loop.mutable_functions(0)->mutable_node(0)->set_domain("d");
  ExpectRefused(loop, "calls itself");
}

}  // namespace
}  // namespace preon
