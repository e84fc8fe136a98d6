#include "calib/data/byte_reader.h"

#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace preon {
namespace {

class StoredReader : public ByteReader {
 public:
  StoredReader(std::shared_ptr<const RandomAccessFile> file, const ByteRange& range)
      : file_(std::move(file)), range_(range) {}

  Status Read(uint64_t offset, std::span<std::byte> to) override {
    PREON_CHECK(offset <= range_.size_bytes && to.size() <= range_.size_bytes - offset);
    return file_->ReadAt(range_.offset + offset, to);
  }

 private:
  const std::shared_ptr<const RandomAccessFile> file_;
  const ByteRange range_;
};

class InflateReader : public ByteReader {
 public:
  InflateReader(std::shared_ptr<const RandomAccessFile> file, const ByteRange& range)
      : file_(std::move(file)), range_(range) {}
  ~InflateReader() override { End(); }

  Status Read(uint64_t offset, std::span<std::byte> to) override {
    if (!started_ || offset < position_) PREON_RETURN_IF_ERROR(Restart());
    std::byte skipped[1 << 14];
    while (position_ < offset) {
      PREON_RETURN_IF_ERROR(Inflate({skipped, std::min<size_t>(sizeof(skipped), offset - position_)}));
    }
    return Inflate(to);
  }

 private:
  static constexpr size_t kWindowBytes = 1 << 16;
  static constexpr size_t kMaxStep = 1 << 30;  // zlib counts in 32 bits

  void End() {
    if (started_) inflateEnd(&stream_);
    started_ = false;
  }

  Status Restart() {
    End();
    stream_ = {};
    // Negative window bits: zip members have no zlib header.
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK)
      return Error(ErrorId::kOutOfMemory, file_->path(), ": out of memory");
    started_ = true;
    position_ = consumed_ = 0;
    return Status::Ok();
  }

  Status Refill() {
    window_.resize(std::min<uint64_t>(kWindowBytes, range_.stored_bytes - consumed_));
    PREON_RETURN_IF_ERROR(file_->ReadAt(range_.offset + consumed_, window_));
    consumed_ += window_.size();
    stream_.next_in = reinterpret_cast<Bytef*>(window_.data());
    stream_.avail_in = static_cast<uInt>(window_.size());
    return Status::Ok();
  }

  Status Inflate(std::span<std::byte> to) {
    while (!to.empty()) {
      if (stream_.avail_in == 0) PREON_RETURN_IF_ERROR(Refill());
      const size_t step = std::min(to.size(), kMaxStep);
      stream_.next_out = reinterpret_cast<Bytef*>(to.data());
      stream_.avail_out = static_cast<uInt>(step);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      const size_t got = step - stream_.avail_out;
      const bool starved = got == 0 && stream_.avail_in == 0 && consumed_ == range_.stored_bytes;
      to = to.subspan(got);
      position_ += got;
      if ((code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END) || starved ||
          (code == Z_STREAM_END && !to.empty())) {
        return Error(ErrorId::kDataMalformed, file_->path(), ": the packed data are damaged after ", position_,
                     " bytes of a member");
      }
    }
    return Status::Ok();
  }

  const std::shared_ptr<const RandomAccessFile> file_;
  const ByteRange range_;
  z_stream stream_ = {};
  bool started_ = false;
  uint64_t position_ = 0, consumed_ = 0;  // unpacked bytes given out, packed bytes read
  std::vector<std::byte> window_;
};

}  // namespace

std::unique_ptr<ByteReader> MakeByteReader(std::shared_ptr<const RandomAccessFile> file, const ByteRange& range) {
  if (range.deflated) return std::make_unique<InflateReader>(std::move(file), range);
  return std::make_unique<StoredReader>(std::move(file), range);
}

}  // namespace preon
