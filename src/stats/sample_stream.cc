#include "stats/sample_stream.h"

#include <algorithm>
#include <cstring>

namespace preon {

SampleStream::SampleStream(const float* data, const ChannelLayout& layout)
    : data_(data),
      samples_(layout.samples),
      outer_(layout.outer),
      channels_(layout.channels),
      inner_(layout.inner),
      row_size_((layout.channels + layout.block - 1) / layout.block * layout.inner * layout.block),
      row_full_(layout.channels / layout.block * layout.inner * layout.block),
      row_valid_(layout.channels * layout.inner),
      block_(layout.block),
      last_channels_(layout.channels % layout.block) {}

const float* SampleStream::Read(int64_t sample, int64_t begin, int64_t count, float* scratch) const {
  const float* first = data_ + sample * outer_ * row_size_;
  if (row_size_ == row_valid_) return first + begin;
  for (int64_t done = 0; done < count;) {
    const int64_t row = (begin + done) / row_valid_;
    const int64_t at = (begin + done) % row_valid_;
    const float* source = first + row * row_size_;
    if (at < row_full_) {
      const int64_t run = row_full_ - at;
      if (run >= count && done == 0) return source + at;
      std::copy_n(source + at, std::min(run, count - done), scratch + done);
      done += run;
    } else {
      const int64_t end = std::min(count, done + row_valid_ - at);
      CopyLastBlock(source + row_full_, at - row_full_, end - done, scratch + done);
      done = end;
    }
  }
  return scratch;
}

int64_t SampleStream::Offset(int64_t sample, int64_t begin) const {
  const int64_t row = sample * outer_ + begin / row_valid_;
  const int64_t at = begin % row_valid_;
  if (at < row_full_) return row * row_size_ + at;
  const int64_t in_block = at - row_full_;
  return row * row_size_ + row_full_ +
         (in_block == 0 ? 0 : in_block / last_channels_ * block_ + in_block % last_channels_);
}

SampleStream::ChannelRun SampleStream::ChannelsFrom(int64_t position) const {
  // Asked for every 16 values, and 64-bit divisions take long.
  const auto divide = [](int64_t a, int64_t b) -> int64_t {
    return (a | b) >> 32 == 0 ? static_cast<uint32_t>(a) / static_cast<uint32_t>(b) : a / b;
  };
  const int64_t at = position < row_valid_ ? position : position % row_valid_;
  if (block_ == 1 && inner_ > 1) {
    const int64_t channel = divide(at, inner_);
    return {channel, (channel + 1) * inner_ - at, false};
  }
  // In each block, or without any, the channels of one place lie side by side.
  const int64_t full_block = block_ == 1 ? channels_ : block_;
  const bool last = block_ > 1 && at >= row_full_;
  const int64_t lanes = last ? last_channels_ : full_block;
  const int64_t from = last ? row_full_ : 0;
  const int64_t place = divide(at - from, lanes);
  const int64_t lane = at - from - place * lanes;
  return {(last ? channels_ - last_channels_ : divide(place, inner_) * full_block) + lane, lanes - lane, true};
}

int64_t SampleStream::PlacesFrom(int64_t position) const {
  const int64_t at = position % row_valid_;
  const bool last = block_ > 1 && at >= row_full_;
  const int64_t lanes = block_ == 1 ? channels_ : last ? last_channels_ : block_;
  if ((last ? at - row_full_ : at) % lanes != 0) return 0;
  const int64_t left = block_ == 1 ? size() - position
                       : last      ? row_valid_ - at
                                   : inner_ * block_ - at % (inner_ * block_);
  return left / lanes;
}

void SampleStream::CopyLastBlock(const float* block, int64_t begin, int64_t count, float* out) const {
  constexpr int64_t kLine = 16;
  block += begin / last_channels_ * block_;
  int64_t channel = begin % last_channels_;
  for (int64_t done = 0; done < count; block += block_, channel = 0) {
    const int64_t run = std::min(last_channels_ - channel, count - done);
    // The padding, too, which the next pixel overwrites: a copy of known size is a move, not a call.
    if (channel == 0 && block_ == kLine && count - done >= kLine) {
      std::memcpy(out + done, block, kLine * sizeof(float));
    } else {
      std::copy_n(block + channel, run, out + done);
    }
    done += run;
  }
}

}  // namespace preon
