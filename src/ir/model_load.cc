#include <onnx/defs/schema.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <limits>
#include <new>
#include <utility>

#include "base/file.h"
#include "base/file_kind.h"
#include "base/hash.h"
#include "ir/graph_proto.h"
#include "ir/input/external_hash.h"
#include "ir/input/hostile_model.h"
#include "ir/input/inline_functions.h"
#include "ir/input/windowed_input_stream.h"
#include "ir/model_io.h"
#include "ir/tensor_proto.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kOldestIrVersion = 3;
constexpr int64_t kOldestOpset = 7;
constexpr size_t kForgottenFileBytes = size_t{32} << 20;

Status NotAModel(std::string_view reason) {
  return Error(ErrorId::kModelMalformed, "not an ONNX model, or cut short: ", reason);
}

Result<MappedFile> OpenModelFile(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return Error(ErrorId::kModelNotFound, path, ": no such file");
  if (error) return Error(ErrorId::kIoRead, path, ": can't read: ", error.message());
  if (!fs::is_regular_file(status))
    return Error(ErrorId::kModelNotFound, path, ": is not a file; wanted an ONNX model");
  return MapFile(path);
}

Status Parse(std::span<const std::byte> bytes, bool mapped, onnx::ModelProto* proto) {
  if (bytes.empty()) return Error(ErrorId::kModelEmpty, "the file has 0 bytes");
  if (bytes.size() > std::numeric_limits<int>::max()) {
    return NotAModel(StrCat(bytes.size(), " bytes; above 2 GiB wanted the weights in external data"));
  }
  if (std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(kSealedBegin))
    return Error(ErrorId::kModelEncrypted, "is encrypted; quantize takes it with --key-file")
        .WithHint("'preon decrypt MODEL -o PLAIN.onnx --key-file FILE' makes a plain model");
  const std::string_view instead = WhatItIsInstead(bytes);
  WindowedInputStream stream(bytes);
  if (!(mapped ? proto->ParseFromZeroCopyStream(&stream)
               : proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))) {
    return NotAModel(instead.empty() ? StrCat("protobuf can't parse it (", bytes.size(), " bytes)")
                                     : std::string(instead));
  }
  // A prefix of a model, and many a text, parse as well: the fields that every model has tell.
  if (!proto->has_graph()) return NotAModel(instead.empty() ? "it holds no graph" : instead);
  if (proto->opset_import_size() == 0) return NotAModel("it names no opset");
  return Status::Ok();
}

Status CheckVersions(const Model& model) {
  if (model.ir_version < kOldestIrVersion || model.ir_version > onnx::IR_VERSION) {
    return Error(ErrorId::kOpsetUnsupported, "IR version ", model.ir_version, "; wanted ", kOldestIrVersion, " to ",
                 static_cast<int64_t>(onnx::IR_VERSION));
  }
  const auto opset = model.opsets.find("");
  if (opset != model.opsets.end() && (opset->second < kOldestOpset || opset->second > NewestOpset())) {
    return Error(ErrorId::kOpsetUnsupported, "opset ", opset->second, "; wanted ", kOldestOpset, " to ", NewestOpset());
  }
  return Status::Ok();
}

// Everything but the graph; what is left in `proto` has no place in Model.
void TakeHeader(onnx::ModelProto* proto, Model* model) {
  model->ir_version = proto->ir_version();
  for (const auto& opset : proto->opset_import()) {
    const auto [known, fresh] =
        model->opsets.emplace(opset.domain() == "ai.onnx" ? "" : opset.domain(), opset.version());
    if (!fresh) known->second = std::max<int64_t>(known->second, opset.version());
  }
  model->producer_name = proto->producer_name();
  model->producer_version = proto->producer_version();
  model->domain = proto->domain();
  model->doc_string = proto->doc_string();
  model->model_version = proto->model_version();
  for (const auto& entry : proto->metadata_props()) model->metadata.emplace_back(entry.key(), entry.value());
  for (const auto& function : proto->functions()) {
    model->opaque_functions.push_back(function.SerializeAsString());
    model->function_ops.insert(function.domain() + ":" + function.name());
  }
  proto->clear_ir_version();
  proto->clear_opset_import();
  proto->clear_producer_name();
  proto->clear_producer_version();
  proto->clear_domain();
  proto->clear_doc_string();
  proto->clear_model_version();
  proto->clear_metadata_props();
  proto->clear_functions();
  model->residue = proto->SerializeAsString();
}

// `mapped`: so large a file that its pages had better go as soon as they were read.
Result<Model> LoadBytes(std::span<const std::byte> bytes, bool mapped, const std::string& path,
                        const LoadOptions& options) {
  Sha256 hash;
  const std::future<void> hashed = std::async(std::launch::async, [&] {  // as long as parsing
    if (!mapped) return hash.Update(bytes);
    ForEachWindow(bytes, [&](std::span<const std::byte> window) { hash.Update(window); });
  });
  onnx::ModelProto proto;
  PREON_RETURN_IF_ERROR(Parse(bytes, mapped, &proto));
  PREON_RETURN_IF_ERROR(CheckHostileModel(proto));
  if (options.inline_functions) PREON_RETURN_IF_ERROR(InlineFunctions(&proto));
  onnx::GraphProto graph;
  graph.Swap(proto.mutable_graph());
  proto.clear_graph();

  ExternalData external(fs::path(path).parent_path().string());
  PREON_RETURN_IF_ERROR(InlineExternalTensors(&proto, external));  // functions and training graphs stay opaque
  Model model;
  TakeHeader(&proto, &model);
  PREON_RETURN_IF_ERROR(CheckVersions(model));
  PREON_ASSIGN_OR_RETURN(model.graph, TakeGraph(&graph, external));
  if (model.graph.outputs().empty()) return Error(ErrorId::kModelInvalid, "the graph has no output");
  // Other domains are the runtime's to judge.
  const auto& nodes = model.graph.nodes();
  const auto standard = std::find_if(nodes.begin(), nodes.end(), [](const auto& node) { return node->domain.empty(); });
  if (model.opset() == 0 && standard != nodes.end()) {
    return Error(ErrorId::kModelInvalid, "node ", (*standard)->name,
                 " is of domain ai.onnx; the model imports no opset of it");
  }
  model.source_path = path;
  hashed.wait();
  for (const auto& [location, file] : external.files()) {
    model.external_files.push_back((fs::path(path).parent_path() / location).string());
    hash.Update(location);
    hash.Update(StrCat('\0', file.bytes.size(), '\0', ContentHash(model.external_files.back(), file.bytes)));
  }
  if (options.keep_weight_file && external.files().size() == 1)
    model.weight_file = {model.external_files.front(), external.files().begin()->second};
  model.fingerprint = hash.Finish();
  return model;
}

}  // namespace

Status CheckRunnable(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const MappedFile file, OpenModelFile(path));
  onnx::ModelProto proto;
  if (!Parse(file.bytes, /*mapped=*/true, &proto).ok()) return Status::Ok();
  return CheckHostileModel(proto).WithContext(path);
}

int64_t NewestOpset() {
  return onnx::OpSchemaRegistry::DomainToVersionRange::Instance().LastReleaseVersionMap().at(onnx::ONNX_DOMAIN);
}

void LoadOperatorSchemas() { onnx::OpSchemaRegistry::Schema("Conv"); }

std::vector<std::string> OperatorTypes() {
  std::vector<std::string> types;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas()) {
    if (schema.domain() == onnx::ONNX_DOMAIN) types.push_back(schema.Name());
  }
  return types;
}

Result<Model> LoadModel(const std::string& path, const LoadOptions& options) {
  MappedFile file;
  if (options.bytes.data() != nullptr) {
    file.bytes = std::as_bytes(std::span(options.bytes.data(), options.bytes.size()));
  } else {
    PREON_ASSIGN_OR_RETURN(file, OpenModelFile(path));
  }
  try {
    const bool forget = file.owner != nullptr && file.bytes.size() > kForgottenFileBytes;
    Result<Model> model = LoadBytes(file.bytes, forget, path, options);
    if (!model.ok()) return std::move(model).status().WithContext(path);
    return model;
  } catch (const std::bad_alloc&) {
    return Error(ErrorId::kOutOfMemory, path, ": out of memory while loading the model");
  }
}

}  // namespace preon
