#include "ir/model_io.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace preon {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string DataFolder() {
  const char* folder = std::getenv("PREON_DATA");
  return folder == nullptr ? "../shared/data" : folder;
}

onnx::ModelProto ParseProto(const std::string& bytes) {
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(bytes));
  return proto;
}

// Names that the order of has no meaning; preon writes them sorted, or in graph order.
template <typename Entries>
void SortByName(Entries* entries) {
  std::sort(entries->begin(), entries->end(), [](const auto& a, const auto& b) { return a.name() < b.name(); });
}

// Typed fields become raw data: the one form that preon writes.
void MakeRaw(onnx::TensorProto* tensor) {
  const auto move = [tensor](auto* field) {
    if (!field->empty()) tensor->set_raw_data(field->data(), field->size() * sizeof(*field->data()));
    field->Clear();
  };
  move(tensor->mutable_float_data());
  move(tensor->mutable_int64_data());
  if (tensor->data_type() == onnx::TensorProto::INT32) {
    move(tensor->mutable_int32_data());
  } else {   // 8-bit types; the models here have no other
    for (int32_t value : tensor->int32_data()) tensor->mutable_raw_data()->push_back(static_cast<char>(value));
    tensor->clear_int32_data();
  }
  if (!tensor->has_raw_data()) tensor->set_raw_data("");
  tensor->clear_data_location();
}

// Facts about tensors that some optimizer has long removed.
void DropStaleValues(onnx::GraphProto* graph) {
  std::set<std::string> defined;
  for (const auto& tensor : graph->initializer()) defined.insert(tensor.name());
  for (const auto& node : graph->node()) defined.insert(node.output().begin(), node.output().end());
  auto* values = graph->mutable_value_info();
  values->erase(std::remove_if(values->begin(), values->end(), [&](const auto& v) { return !defined.count(v.name()); }),
                values->end());
}

// What may differ between a file and what is written for it: orders without meaning and ways to store a tensor.
void Normalize(onnx::ModelProto* model) {
  if (model->model_version() == 0) model->clear_model_version();
  if (model->doc_string().empty()) model->clear_doc_string();
  onnx::GraphProto* graph = model->mutable_graph();
  for (auto& tensor : *graph->mutable_initializer()) MakeRaw(&tensor);
  SortByName(graph->mutable_initializer());
  SortByName(graph->mutable_input());
  SortByName(graph->mutable_value_info());
  DropStaleValues(graph);
  std::sort(model->mutable_opset_import()->begin(), model->mutable_opset_import()->end(),
            [](const auto& a, const auto& b) { return a.domain() < b.domain(); });
  for (auto& opset : *model->mutable_opset_import()) opset.set_domain(opset.domain());
  for (auto& node : *graph->mutable_node()) {
    SortByName(node.mutable_attribute());
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) MakeRaw(attribute.mutable_t());
    }
    if (node.name().empty()) node.clear_name();
    if (node.domain().empty()) node.clear_domain();
    if (node.doc_string().empty()) node.clear_doc_string();
  }
}

class RealModels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::is_directory(DataFolder() + "/models")) GTEST_SKIP() << DataFolder() << "/models: no such folder";
  }
  static std::vector<std::string> Paths() {
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(DataFolder() + "/models")) paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
  }
};

TEST_F(RealModels, ComeBackEqual) {
  for (const std::string& path : Paths()) {
    SCOPED_TRACE(path);
    const Result<Model> model = LoadModel(path);
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    const Result<std::string> bytes = SerializeModel(*model);
    ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
    onnx::ModelProto wanted = ParseProto(*ReadFile(path)), got = ParseProto(*bytes);
    Normalize(&wanted);
    Normalize(&got);
    google::protobuf::util::MessageDifferencer differencer;
    std::string differences;
    differencer.ReportDifferencesToString(&differences);
    EXPECT_TRUE(differencer.Compare(wanted, got)) << differences.substr(0, 2000);
  }
}

}  // namespace
}  // namespace preon
