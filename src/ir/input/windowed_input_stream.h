// WindowedInputStream: a mapped file as protobuf reads it, of which only a window is in memory at a time.
#pragma once

#include <google/protobuf/io/zero_copy_stream.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/file.h"

namespace preon {

inline constexpr size_t kWindowBytes = size_t{8} << 20;

/// read(window) for one part of a mapped file after the other, whose pages are then forgotten.
template <typename Read>
void ForEachWindow(std::span<const std::byte> mapped, const Read& read) {
  for (size_t begin = 0; begin < mapped.size(); begin += kWindowBytes) {
    const auto window = mapped.subspan(begin, std::min(kWindowBytes, mapped.size() - begin));
    read(window);
    ForgetPages(window);
  }
}

/// Parsing copies weights out of the file; without this, both copies are in memory at the end.
class WindowedInputStream final : public google::protobuf::io::ZeroCopyInputStream {
 public:
  /// `mapped` by MapFile, not empty; below 2 GiB, as protobuf counts in int.
  explicit WindowedInputStream(std::span<const std::byte> mapped) : mapped_(mapped) {}

  bool Next(const void** data, int* size) override {
    if (at_ == mapped_.size()) return false;
    const size_t window = at_ / kWindowBytes * kWindowBytes;
    // Protobuf reads on in the window before while it looks at the first bytes of this one.
    if (window >= 2 * kWindowBytes) ForgetPages(mapped_.subspan(window - 2 * kWindowBytes, kWindowBytes));
    const size_t end = std::min(window + kWindowBytes, mapped_.size());
    *data = mapped_.data() + at_;
    *size = static_cast<int>(end - at_);
    at_ = end;
    return true;
  }
  void BackUp(int count) override { at_ -= static_cast<size_t>(count); }
  bool Skip(int count) override {
    const size_t skipped = std::min(static_cast<size_t>(count), mapped_.size() - at_);
    at_ += skipped;
    return skipped == static_cast<size_t>(count);
  }
  int64_t ByteCount() const override { return static_cast<int64_t>(at_); }

 private:
  std::span<const std::byte> mapped_;
  size_t at_ = 0;
};

}  // namespace preon
