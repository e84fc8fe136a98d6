// WavFile: the sound in a .wav file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace preon {

/// Integers of 8 to 64 bits, floats of 32 and 64 bits, A-law and mu-law. A frame is one value of each channel.
class WavFile {
 public:
  /// Reads the header. Errors: kDataNotFound, kIoRead; kDataMalformed for what is no WAV file or has less sound than
  /// its header says; kDataUnsupported for other codings.
  static Result<WavFile> Open(const std::string& path);
  WavFile(WavFile&&) noexcept;
  ~WavFile();

  const std::string& path() const;
  int64_t rate_hz() const;
  int64_t channels() const;
  int64_t frames() const;

  /// `count` frames from `first` on, all inside the file; channels interleaved. Integers are divided by 2^(bits - 1),
  /// so that they are from -1 to 1, as libsndfile has it. Errors: kIoRead, kDataMalformed.
  Result<std::vector<float>> Read(int64_t first, int64_t count);

 private:
  struct State;
  explicit WavFile(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;  // the decoder keeps pointers into it
};

}  // namespace preon
