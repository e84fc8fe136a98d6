// The reader of .calib files and what is done with what it let through. The checksum is made good first: it would stop
// nearly every mutation, while the reader has to stand what lies behind it too.
#include <fstream>
#include <iterator>

#include "base/check.h"
#include "base/hash.h"
#include "calib/calib_file.h"
#include "calib/calibration.h"
#include "fuzz.h"

namespace preon {

void FuzzOne(const std::string& path) {
  (void)LoadCalibration(path).ok();
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  constexpr size_t kChecksumSize = 64;
  if (bytes.size() < kChecksumSize) return;
  bytes.resize(bytes.size() - kChecksumSize);
  bytes += Sha256Hex(bytes);
  const Result<CalibrationData> data = ParseCalibration(bytes);
  if (!data.ok()) return;
  for (const auto& [name, sketch] : data->tensors) (void)sketch.ReadHistogram().total();
  // What was accepted is canonical: it writes the bytes that it was read from.
  PREON_CHECK(SerializeCalibration(*data) == bytes);
  (void)MergeCalibrations({*data, *data}).ok();
}

}  // namespace preon
