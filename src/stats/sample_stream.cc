#include "stats/sample_stream.h"

#include <algorithm>

namespace preon {

SampleStream::SampleStream(const float* data, const ChannelLayout& layout)
    : data_(data),
      samples_(layout.samples),
      outer_(layout.outer),
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
    int64_t run;
    if (at < row_full_) {
      source += at;
      run = row_full_ - at;
      if (run >= count && done == 0) return source;
    } else {
      const int64_t pixel = (at - row_full_) / last_channels_;
      const int64_t channel = (at - row_full_) % last_channels_;
      source += row_full_ + pixel * block_ + channel;
      run = last_channels_ - channel;
    }
    run = std::min(run, count - done);
    std::copy_n(source, run, scratch + done);
    done += run;
  }
  return scratch;
}

}  // namespace preon
