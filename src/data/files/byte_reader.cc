#include "data/files/byte_reader.h"

#include <zlib.h>

#include <algorithm>
#include <mutex>
#include <set>
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

// What this process has found undamaged: each stage opens the same data again, and one check is enough.
class UndamagedRanges {
 public:
  static UndamagedRanges& OfProcess() {
    static UndamagedRanges ranges;
    return ranges;
  }

  bool Has(const RandomAccessFile& file, const ByteRange& range) {
    const std::lock_guard lock(mutex_);
    return ranges_.contains(KeyOf(file, range));
  }
  void Add(const RandomAccessFile& file, const ByteRange& range) {
    const std::lock_guard lock(mutex_);
    ranges_.insert(KeyOf(file, range));
  }

 private:
  struct Key {
    RandomAccessFile::Version version;
    uint64_t offset;
    uint32_t crc32;
    auto operator<=>(const Key&) const = default;
  };
  static Key KeyOf(const RandomAccessFile& file, const ByteRange& range) {
    return {file.version(), range.offset, *range.crc32};
  }

  std::mutex mutex_;
  std::set<Key> ranges_;
};

class CheckedReader : public ByteReader {
 public:
  CheckedReader(std::shared_ptr<const RandomAccessFile> file, const ByteRange& range, std::string where)
      : file_(std::move(file)),
        range_(range),
        bytes_(MakeByteReader(file_, range)),
        max_bytes_ahead_(range.deflated ? kMaxDeflatedAhead : kMaxStoredAhead),
        where_(std::move(where)) {}

  Status Read(uint64_t offset, std::span<std::byte> to) override {
    if (summed_ == range_.size_bytes) PREON_RETURN_IF_ERROR(Compare());
    const uint64_t end = offset + to.size();
    const bool all = offset <= kMaxGapBytes && end == range_.size_bytes;
    if (!all && range_.size_bytes <= max_bytes_ahead_) PREON_RETURN_IF_ERROR(SumUpTo(range_.size_bytes));
    // The header of an array is read elsewhere.
    if (offset > summed_ && offset - summed_ <= kMaxGapBytes) PREON_RETURN_IF_ERROR(SumUpTo(offset));
    PREON_RETURN_IF_ERROR(bytes_->Read(offset, to));
    if (offset <= summed_ && summed_ < end) return Sum(to.subspan(summed_ - offset));
    return Status::Ok();
  }

 private:
  // About 40 ms each.
  static constexpr uint64_t kMaxStoredAhead = 64 << 20, kMaxDeflatedAhead = 16 << 20;
  static constexpr uint64_t kMaxGapBytes = 1 << 16;

  Status SumUpTo(uint64_t end) {
    std::vector<std::byte> window(std::min<uint64_t>(1 << 16, end - std::min(summed_, end)));
    while (summed_ < end) {
      const std::span<std::byte> part = std::span(window).first(std::min<uint64_t>(window.size(), end - summed_));
      PREON_RETURN_IF_ERROR(bytes_->Read(summed_, part));
      PREON_RETURN_IF_ERROR(Sum(part));
    }
    return Status::Ok();
  }

  // Takes the bytes that follow those summed up so far.
  Status Sum(std::span<const std::byte> bytes) {
    sum_ = static_cast<uint32_t>(crc32_z(sum_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
    summed_ += bytes.size();
    return summed_ == range_.size_bytes ? Compare() : Status::Ok();
  }

  Status Compare() const {
    if (sum_ == *range_.crc32) {
      UndamagedRanges::OfProcess().Add(*file_, range_);
      return Status::Ok();
    }
    return Error(ErrorId::kDataMalformed, where_, ": the CRC-32 differs: the data are damaged");
  }

  const std::shared_ptr<const RandomAccessFile> file_;
  const ByteRange range_;
  const std::unique_ptr<ByteReader> bytes_;
  const uint64_t max_bytes_ahead_;
  const std::string where_;
  uint64_t summed_ = 0;  // bytes from the start that sum_ is of
  uint32_t sum_ = 0;     // the CRC-32 of nothing
};

}  // namespace

std::unique_ptr<ByteReader> MakeByteReader(std::shared_ptr<const RandomAccessFile> file, const ByteRange& range) {
  if (range.deflated) return std::make_unique<InflateReader>(std::move(file), range);
  return std::make_unique<StoredReader>(std::move(file), range);
}

std::unique_ptr<ByteReader> MakeCheckedReader(std::shared_ptr<const RandomAccessFile> file, const ByteRange& range,
                                              std::string where) {
  if (!range.crc32 || UndamagedRanges::OfProcess().Has(*file, range)) return MakeByteReader(std::move(file), range);
  return std::make_unique<CheckedReader>(std::move(file), range, std::move(where));
}

}  // namespace preon
