#include "calib/value_store.h"

namespace preon {
namespace {

constexpr std::string_view kFile = "values.bin";

}  // namespace

Result<std::unique_ptr<ValueStore>> ValueStore::Create(const std::string& parent) {
  PREON_ASSIGN_OR_RETURN(TempDir folder, TempDir::Create(parent));
  std::unique_ptr<ValueStore> store(new ValueStore(std::move(folder)));
  store->file_.open(store->folder_.File(kFile), std::ios::binary);
  if (!store->file_) return store->WriteFailed();
  return store;
}

Status ValueStore::WriteFailed() const {
  return Error(ErrorId::kIoWrite, folder_.path(), ": can't keep the values of tensors there, ", size_ * sizeof(float),
               " bytes so far")
      .WithHint("--tmp-dir chooses another folder; fewer samples need less space");
}

Status ValueStore::Append(size_t tensor, std::span<const float> portion) {
  const auto bytes = std::as_bytes(portion);
  file_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file_) return WriteFailed();
  portions_[tensor].push_back({size_, portion.size()});
  size_ += portion.size();
  return Status::Ok();
}

Result<ValueReplay> ValueStore::Replay(size_t tensor) {
  if (!mapped_) {
    file_.close();
    if (!file_) return WriteFailed();
    PREON_ASSIGN_OR_RETURN(MappedFile mapped, MapFile(folder_.File(kFile)));
    mapped_ = std::make_shared<const MappedFile>(std::move(mapped));
  }
  return ValueReplay(
      [mapped = mapped_, portions = portions_[tensor]](const std::function<void(std::span<const float>)>& visit) {
        const auto* values = reinterpret_cast<const float*>(mapped->bytes.data());
        for (const Portion& portion : portions) visit({values + portion.first, portion.count});
        return Status::Ok();
      });
}

}  // namespace preon
