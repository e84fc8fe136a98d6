// SampleStream: a sample's values in memory order, without the padding of blocked layouts.
#pragma once

#include "stats/channel_layout.h"

namespace preon {

/// Positions in this stream decide which elements a sampled sketch counts.
class SampleStream {
 public:
  SampleStream(const float* data, const ChannelLayout& layout);

  int64_t samples() const { return samples_; }
  /// Elements of one sample, padding left out.
  int64_t size() const { return outer_ * row_valid_; }
  /// Elements [begin, begin + count) of a sample: in place, or copied to `scratch` where padding lies between them.
  const float* Read(int64_t sample, int64_t begin, int64_t count, float* scratch) const;
  /// Where element `begin` of a sample, or its end, lies in the tensor's memory. From one to the next, all of the
  /// memory is passed, padding included.
  int64_t Offset(int64_t sample, int64_t begin) const;

  /// `length` elements from some position on: of channel `channel`, or of it and the next ones.
  struct ChannelRun {
    int64_t channel, length;
    bool consecutive;
  };
  ChannelRun ChannelsFrom(int64_t position) const;
  /// Of consecutive runs: how many, from `position` on, are of the same channels. 0 where one has already begun.
  int64_t PlacesFrom(int64_t position) const;
  /// Elements in a row that belong to one channel, or to the channels of one block.
  int64_t ChannelExtent() const { return inner_ * block_; }

 private:
  /// Elements [begin, begin + count) of a row's padded last block.
  void CopyLastBlock(const float* block, int64_t begin, int64_t count, float* out) const;

  const float* data_;
  int64_t samples_;
  int64_t outer_;
  int64_t channels_;
  int64_t inner_;
  int64_t row_size_;   // one `outer` row in memory
  int64_t row_full_;   // its leading part without padding
  int64_t row_valid_;  // its elements without padding
  int64_t block_;
  int64_t last_channels_;  // channels of the padded last block
};

}  // namespace preon
