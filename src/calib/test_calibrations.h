// What the tests of calibration data share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "calib/calib_file.h"
#include "data/data_source.h"

namespace preon::test {

/// Samples `first`, first + step, … of a stream whose values depend on the sample alone, for two tensors.
inline CalibrationData PartOf(int64_t first, int64_t step, int64_t end, SketchMode mode = SketchMode::kSampled) {
  CalibrationData data;
  data.model_fingerprint = "0123456789abcdef";
  data.setup = "target=ort-cpu graph=1";
  data.shared = {{"reshape", "conv"}, {"transpose", "conv"}};
  data.origins = {{"relu", "input"}, {"conv", "Conv"}};
  data.tensors.emplace("conv", TensorSketch({.mode = mode, .channels = 3}));
  data.tensors.emplace("relu", TensorSketch({.mode = mode}));
  for (int64_t sample = first; sample < end; sample += step) {
    std::vector<float> values(3 * 50);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>((i * 31 + static_cast<size_t>(sample) * 97) % 211) -
                  80.0f * static_cast<float>(sample % 3);
    }
    data.tensors.at("conv").Update(values.data(), {.channels = 3, .inner = 50});
    for (float& x : values) x = x < 0 ? 0 : x;
    data.tensors.at("relu").Update(values);
    data.samples.emplace_back(sample, sample + 1);
  }
  data.samples = *Canonical(std::move(data.samples));
  return data;
}

/// With a row for every sample of PartOf; every fourth is labelled.
inline CalibrationData WithRows(CalibrationData data) {
  data.per_sample.emplace();
  for (const auto& [first, last] : data.samples) {
    for (int64_t sample = first; sample < last; ++sample) {
      SampleRow row{.index = sample, .name = StrCat("sample ", sample)};
      if (sample % 4 == 3) row.label = -sample;
      for (const auto& [name, sketch] : PartOf(sample, 1, sample + 1).tensors)
        row.tensors.push_back({sketch.min(), sketch.max(), sketch.max() / 2});
      data.per_sample->push_back(std::move(row));
    }
  }
  return data;
}

/// The bytes with a checksum that fits them, as if a program with a defect had written them.
inline std::string WithChecksum(std::string_view bytes) {
  const std::string_view content = bytes.substr(0, bytes.size() - 64);
  return StrCat(content, Sha256Hex(content));
}

/// A batch without values whose samples have names.
inline Batch NamedBatch(int64_t samples) {
  Batch batch;
  batch.samples = samples;
  for (int64_t i = 0; i < samples; ++i) batch.names.push_back(StrCat("x.npy[", i, "]"));
  return batch;
}

}  // namespace preon::test
