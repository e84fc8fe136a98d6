// Weights in a temporary file: unread ones take no memory, and sessions map the file instead of copying from memory.
#include <fstream>
#include <memory>

#include "base/file.h"
#include "base/output/temp_dir.h"
#include "base/system.h"
#include "ir/model_io.h"

namespace preon {
namespace {

constexpr size_t kSmallestBytes = 1024;  // as in model_save.cc: shapes and axes stay in the model
constexpr size_t kAlignment = 64;
constexpr size_t kBytesForFile = size_t{48} << 20;
constexpr size_t kLargeBytes = size_t{1} << 30;

struct Place {
  std::string tensor;
  size_t offset;
};

struct KeptFile {
  TempDir folder;
  MappedFile file;
};

size_t WeightBytes(const Graph& graph) {
  size_t bytes = 0;
  for (const auto& [name, value] : graph.initializers()) bytes += value.bytes().size();
  return bytes;
}

}  // namespace

Status MoveWeightsToFile(Model& model, const std::string& parent) {
  PREON_ASSIGN_OR_RETURN(TempDir folder, TempDir::Create(parent));
  const std::string path = folder.File("weights.data");
  std::vector<Place> places;
  std::ofstream out(path, std::ios::binary);
  size_t size = 0;
  for (const auto& [name, value] : model.graph.initializers()) {
    if (value.type() == DataType::kString || value.bytes().size() <= kSmallestBytes) continue;
    const size_t offset = (size + kAlignment - 1) / kAlignment * kAlignment;
    out << std::string(offset - size, '\0');
    out.write(reinterpret_cast<const char*>(value.bytes().data()), static_cast<std::streamsize>(value.bytes().size()));
    HasReadMapped(value.bytes().size());
    size = offset + value.bytes().size();
    places.push_back({name, offset});
  }
  out.close();
  if (!out) return Error(ErrorId::kIoWrite, path, ": can't write ", size, " bytes of weights");
  if (places.empty()) return Status::Ok();

  PREON_ASSIGN_OR_RETURN(MappedFile mapped, MapFile(path));
  const std::span<const std::byte> bytes = mapped.bytes;
  const auto kept = std::make_shared<const KeptFile>(std::move(folder), std::move(mapped));
  for (const Place& place : places) {
    const Tensor& value = *model.graph.Initializer(place.tensor);
    model.graph.SetInitializer(
        place.tensor, Tensor(value.type(), value.shape(), bytes.subspan(place.offset, value.bytes().size()), kept));
  }
  model.weight_file = {path, {bytes, kept}};
  return Status::Ok();
}

bool HasLargeWeights(const Graph& graph) { return WeightBytes(graph) > kLargeBytes; }

void KeepWeightsInFile(Model& model, const RunContext& context) {
  if (context.StaysInMemory()) return;  // where a file would be no gain
  if (WeightBytes(model.graph) < kBytesForFile) return;
  const Status moved = MoveWeightsToFile(model, context.TempDir());
  if (!moved.ok()) context.Log(LogLevel::kInfo, StrCat("the weights stay in memory: ", moved.ToString()));
  ReleaseFreeMemory();
}

}  // namespace preon
