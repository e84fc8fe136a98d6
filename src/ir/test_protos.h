// Helpers of the tests in this folder: models as ONNX text, changed as protobuf objects before they are loaded.
#pragma once

#include <gtest/gtest.h>
#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ir/model_io.h"

namespace preon {

inline onnx::ModelProto ProtoFromText(std::string_view text) {
  onnx::ModelProto proto;
  const auto status = onnx::OnnxParser::Parse(proto, text);
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  return proto;
}

inline Result<Model> LoadProto(const onnx::ModelProto& proto, const std::string& path = "model.onnx") {
  const std::string bytes = proto.SerializeAsString();
  return LoadModel(path, {.bytes = bytes});
}

/// The model of ONNX's text.
inline Model LoadText(std::string_view text) {
  Result<Model> model = LoadProto(ProtoFromText(text));
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return *std::move(model);
}

inline onnx::ModelProto ToProtoByBytes(const Model& model) {
  onnx::ModelProto proto;
  const Result<std::string> bytes = SerializeModel(model);
  EXPECT_TRUE(bytes.ok() && proto.ParseFromString(*bytes));
  return proto;
}

/// Paths of the real models, sorted; empty when the data folder is absent.
inline std::vector<std::string> RealModelPaths() {
  const char* folder = std::getenv("PREON_DATA");
  const std::string models = std::string(folder == nullptr ? "../shared/data" : folder) + "/models";
  std::vector<std::string> paths;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(models, absent)) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace preon
