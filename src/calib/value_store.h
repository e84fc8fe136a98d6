// ValueStore: the values of tensors in a temporary file, for collectors that read them twice.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/output/temp_dir.h"
#include "ranges/range_collector.h"

namespace preon {

/// Not thread-safe. 4 bytes on disk per value, 16 bytes of memory per portion.
class ValueStore {
 public:
  /// In a folder of its own below `parent`, removed by the destructor. Errors: kIoWrite.
  static Result<std::unique_ptr<ValueStore>> Create(const std::string& parent);

  /// Errors: kIoWrite, with the folder.
  Status Append(size_t tensor, std::span<const float> portion);
  /// Portions of a tensor in the order in which they came. After the last Append. Errors: kIoRead, kIoWrite.
  Result<ValueReplay> Replay(size_t tensor);

 private:
  struct Portion {
    uint64_t first, count;  // in values
  };
  explicit ValueStore(TempDir folder) : folder_(std::move(folder)) {}
  Status WriteFailed() const;

  TempDir folder_;
  std::ofstream file_;
  uint64_t size_ = 0;
  std::map<size_t, std::vector<Portion>> portions_;
  std::shared_ptr<const MappedFile> mapped_;
};

}  // namespace preon
