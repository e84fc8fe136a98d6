// For tests: an observer that keeps every value in plain layout.
#pragma once

#include <vector>

#include "runtime/observed_session.h"

namespace preon::test {

/// The elements of a blocked value without its padding, row-major.
inline std::vector<float> ToPlain(const ObservedValue& value) {
  if (value.block == 1) return {value.data, value.data + ElementCount(value.shape)};
  const int64_t samples = value.shape[0], channels = value.shape[1],
                blocks = (channels + value.block - 1) / value.block;
  const int64_t inner = ElementCount({value.shape.begin() + 2, value.shape.end()});
  std::vector<float> plain;
  for (int64_t sample = 0; sample < samples; ++sample) {
    for (int64_t channel = 0; channel < channels; ++channel) {
      const float* first =
          value.data + (sample * blocks + channel / value.block) * inner * value.block + channel % value.block;
      for (int64_t i = 0; i < inner; ++i) plain.push_back(first[i * value.block]);
    }
  }
  return plain;
}

class RecordingObserver : public TensorObserver {
 public:
  struct Record {
    int times = 0;
    Shape shape;
    std::vector<float> values;  ///< of the last time
    const float* address = nullptr;
  };
  explicit RecordingObserver(size_t tensors) : records(tensors) {}
  void Observe(size_t index, const ObservedValue& value, const ParallelFor&) override {
    Record& record = records[index];
    ++record.times;
    record.shape = value.shape;
    record.values = ToPlain(value);
    record.address = value.data;
  }
  std::vector<Record> records;
};

}  // namespace preon::test
