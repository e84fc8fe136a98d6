// Weights go from their tensors straight into the file: the protobuf objects hold everything but them, and the bytes of
// GraphProto.initializer are written behind by hand. The order of fields in a message means nothing to its readers.
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "base/folder.h"
#include "base/hash.h"
#include "base/output/atomic_file.h"
#include "base/output/commit.h"
#include "base/output/side_file.h"
#include "ir/graph_proto.h"
#include "ir/model_io.h"
#include "ir/tensor_proto.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMessageLimitBytes = std::numeric_limits<int>::max();
constexpr size_t kExternalBytes = 1024;  // smaller tensors stay in the model: shapes and axes are read by every tool
constexpr size_t kExternalAlignment = 64;

using Sink = std::function<Status(std::span<const std::byte>)>;

std::string NameOf(const std::string& path) { return fs::path(path).filename().string(); }

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::string Varint(uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  return text += static_cast<char>(value);
}

// What comes before a nested message or bytes field.
std::string FieldHead(int field, size_t size_bytes) {
  constexpr int kLengthDelimited = 2;
  return Varint(static_cast<uint64_t>(field) << 3 | kLengthDelimited) + Varint(size_bytes);
}

// One initializer as it will be written: `head` is its message without the weights.
struct TensorRecord {
  std::string head;
  std::span<const std::byte> inline_bytes, external_bytes;
  size_t external_offset = 0;

  std::string RawHead() const {
    return inline_bytes.empty() ? "" : FieldHead(onnx::TensorProto::kRawDataFieldNumber, inline_bytes.size());
  }
  size_t size_bytes() const { return head.size() + RawHead().size() + inline_bytes.size(); }
};

struct ModelRecord {
  std::string model_head, graph_head;
  std::vector<TensorRecord> tensors;
  size_t graph_size_bytes = 0;
  size_t total_size_bytes = 0;
};

TensorRecord Record(const std::string& name, const Tensor& value, onnx::TensorProto* proto) {
  TensorRecord record;
  proto->set_name(name);
  WriteTensorHeader(value, proto);
  if (value.type() != DataType::kString) record.inline_bytes = value.bytes();
  if (value.type() != DataType::kString && value.bytes().empty()) proto->set_raw_data("");
  record.head = proto->SerializeAsString();
  return record;
}

void MoveOut(const std::string& location, size_t offset, onnx::TensorProto* proto, TensorRecord* record) {
  const auto add = [proto](const char* key, const std::string& value) {
    auto* entry = proto->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  add("location", location);
  add("offset", std::to_string(offset));
  add("length", std::to_string(record->inline_bytes.size()));
  proto->set_data_location(onnx::TensorProto::EXTERNAL);
  record->external_bytes = std::exchange(record->inline_bytes, {});
  record->external_offset = offset;
  record->head = proto->SerializeAsString();
}

// Where in the model's weight file the bytes lie.
std::optional<size_t> PlaceInWeightFile(const Model& model, std::span<const std::byte> bytes) {
  if (!model.weight_file) return std::nullopt;
  const std::span<const std::byte> file = model.weight_file->file.bytes;
  const std::less<const std::byte*> before;
  if (before(bytes.data(), file.data()) || !before(bytes.data(), file.data() + file.size())) return std::nullopt;
  return bytes.data() - file.data();
}

// What is moved out of the model.
enum class MoveOutMode {
  kAll,     // large weights, into a file to be written
  kUnfiled  // the same, but those in the model's weight file stay there
};

// `location`: name of the external-data file; empty = all weights inside.
ModelRecord Record(const Model& model, const std::string& location, MoveOutMode mode = MoveOutMode::kAll) {
  ModelRecord record;
  onnx::ModelProto proto = ToProto(model, InitializerMode::kLeftOut);
  record.graph_size_bytes = proto.graph().ByteSizeLong();
  if (record.graph_size_bytes <= kMessageLimitBytes) record.graph_head = proto.graph().SerializeAsString();
  proto.clear_graph();
  record.model_head = proto.SerializeAsString();

  std::map<std::string, onnx::TensorProto> residues = InitializerResidues(model.graph);
  size_t offset = 0;
  for (const auto& [name, value] : model.graph.initializers()) {
    onnx::TensorProto& header = residues[name];
    TensorRecord tensor = Record(name, value, &header);
    const std::optional<size_t> place =
        mode == MoveOutMode::kUnfiled ? PlaceInWeightFile(model, tensor.inline_bytes) : std::nullopt;
    if (place) {
      MoveOut(fs::path(model.weight_file->path).filename().string(), *place, &header, &tensor);
      tensor.external_bytes = {};
    } else if (!location.empty() && tensor.inline_bytes.size() > kExternalBytes) {
      offset = (offset + kExternalAlignment - 1) / kExternalAlignment * kExternalAlignment;
      MoveOut(location, offset, &header, &tensor);
      offset += tensor.external_bytes.size();
    }
    const size_t size_bytes = tensor.size_bytes();
    record.graph_size_bytes += FieldHead(onnx::GraphProto::kInitializerFieldNumber, size_bytes).size() + size_bytes;
    record.tensors.push_back(std::move(tensor));
  }
  record.total_size_bytes = record.model_head.size() + record.graph_size_bytes +
                            FieldHead(onnx::ModelProto::kGraphFieldNumber, record.graph_size_bytes).size();
  return record;
}

Status CheckSize(const ModelRecord& record) {
  if (record.total_size_bytes <= kMessageLimitBytes) return Status::Ok();
  return Error(ErrorId::kModelTooLarge, record.total_size_bytes, " bytes; wanted at most ", kMessageLimitBytes);
}

Status WriteModel(const ModelRecord& record, const Sink& sink) {
  PREON_RETURN_IF_ERROR(sink(Bytes(record.model_head)));
  PREON_RETURN_IF_ERROR(sink(Bytes(FieldHead(onnx::ModelProto::kGraphFieldNumber, record.graph_size_bytes))));
  PREON_RETURN_IF_ERROR(sink(Bytes(record.graph_head)));
  for (const TensorRecord& tensor : record.tensors) {
    const std::string head = FieldHead(onnx::GraphProto::kInitializerFieldNumber, tensor.size_bytes());
    PREON_RETURN_IF_ERROR(sink(Bytes(head + tensor.head + tensor.RawHead())));
    PREON_RETURN_IF_ERROR(sink(tensor.inline_bytes));
  }
  return Status::Ok();
}

Result<std::string> ToBytes(const ModelRecord& record) {
  PREON_RETURN_IF_ERROR(CheckSize(record));
  std::string bytes;
  bytes.reserve(record.total_size_bytes);
  PREON_RETURN_IF_ERROR(WriteModel(record, [&](std::span<const std::byte> piece) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return Status::Ok();
  }));
  return bytes;
}

Status WriteExternal(const ModelRecord& record, const Sink& sink) {
  size_t written = 0;
  for (const TensorRecord& tensor : record.tensors) {
    if (tensor.external_bytes.empty()) continue;
    const std::string gap(tensor.external_offset - written, '\0');
    PREON_RETURN_IF_ERROR(sink(Bytes(gap)));
    PREON_RETURN_IF_ERROR(sink(tensor.external_bytes));
    written = tensor.external_offset + tensor.external_bytes.size();
  }
  return Status::Ok();
}

// Readers look for the weights in the folder of the name that they were given.
Status CheckSameFolder(const std::string& path, const AtomicFile& file) {
  std::error_code error;
  if (fs::equivalent(FolderOf(path), FolderOf(file.path()), error)) return Status::Ok();
  return Error(ErrorId::kIoWrite, path, ": can't write: is a symbolic link into another folder, where weights in ",
               "external data would not be found; name the file itself: ", file.path());
}

}  // namespace

Result<StagedModel> StageModel(const Model& model, const std::string& path, const SaveOptions& options) {
  ModelRecord record = Record(model, "");
  StagedModel staged;
  staged.inputs_ = options.inputs;
  if (options.external_data || !CheckSize(record).ok()) {
    PREON_ASSIGN_OR_RETURN(AtomicFile weights, AtomicFile::Open(path));
    PREON_RETURN_IF_ERROR(CheckSameFolder(path, weights));
    Sha256 hash;
    const auto write = [&](std::span<const std::byte> bytes) {
      hash.Update(bytes);
      return weights.Write(bytes);
    };
    // The file's name is made of what it holds; any other one of that length gives the same sizes.
    record = Record(model, NameOf(SideFilePath(weights.path(), std::string(64, '0'))));
    PREON_RETURN_IF_ERROR(CheckSize(record).WithContext(path));
    PREON_RETURN_IF_ERROR(WriteExternal(record, write));
    staged.weights_path_ = SideFilePath(weights.path(), hash.Finish());
    staged.weights_.emplace(std::move(weights));
    record = Record(model, NameOf(staged.weights_path_));
  }
  PREON_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Open(path));
  PREON_RETURN_IF_ERROR(WriteModel(record, [&](std::span<const std::byte> bytes) { return file.Write(bytes); }));
  staged.model_.emplace(std::move(file));
  return staged;
}

int64_t StagedModel::size_bytes() const { return model_->size_bytes() + (weights_ ? weights_->size_bytes() : 0); }

Status StagedModel::Commit() {
  return CommitWithSideFile(*model_, weights_ ? &*weights_ : nullptr, weights_path_, inputs_);
}

Status SaveModel(const Model& model, const std::string& path, const SaveOptions& options) {
  PREON_ASSIGN_OR_RETURN(StagedModel staged, StageModel(model, path, options));
  return staged.Commit();
}

Result<std::string> SerializeModel(const Model& model) { return ToBytes(Record(model, "")); }

Result<DetachedModel> DetachWeights(const Model& model) {
  const ModelRecord record = Record(model, "weights", MoveOutMode::kUnfiled);
  DetachedModel detached;
  if (model.weight_file) detached.folder = fs::path(model.weight_file->path).parent_path().string();
  PREON_ASSIGN_OR_RETURN(detached.bytes, ToBytes(record));
  auto tensor = record.tensors.begin();
  for (const auto& [name, value] : model.graph.initializers()) {
    // The runtime drops weights that nothing reads before it looks for theirs.
    if (!(tensor++)->external_bytes.empty() && model.graph.UseCount(name) > 0)
      detached.weights.push_back({name, value});
  }
  return detached;
}

}  // namespace preon
