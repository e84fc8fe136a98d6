#include "calib/calib_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "base/output/atomic_file.h"
#include "calib/malformed_file.h"
#include "calib/mask_section.h"
#include "calib/read_map.h"
#include "data/sample_runs.h"
#include "stats/wire.h"

namespace preon {
namespace {

constexpr std::string_view kMagic = "preon-calib ";
constexpr std::string_view kVersion = "4\n";
constexpr size_t kChecksumSize = 64;
constexpr std::string_view kDerived = "derived", kPerSample = "per-sample", kPlanned = "planned", kMasks = "masks",
                           kActivation = "activation", kStatistics = "statistics";

/// The part between header and checksum. Errors: not a .calib file, another version, cut short, changed.
Result<std::string_view> CheckedBody(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return Error(ErrorId::kCalibFileMalformed, "not a .calib file");
  const std::string_view version = bytes.substr(kMagic.size());
  if (!version.starts_with(kVersion)) {
    return Error(ErrorId::kCalibFileMalformed, "format version '",
                 version.substr(0, std::min<size_t>(version.find('\n'), 8)), "'; this version of preon reads 4");
  }
  const size_t header = kMagic.size() + kVersion.size();
  if (bytes.size() < header + kChecksumSize) return Malformed("cut short");
  const std::string_view signed_part = bytes.substr(0, bytes.size() - kChecksumSize);
  if (Sha256Hex(signed_part) != bytes.substr(signed_part.size())) return Malformed("checksum differs");
  return signed_part.substr(header);
}

Status ReadRuns(WireReader& in, SampleRuns& runs) {
  constexpr uint64_t kMaxSample = std::numeric_limits<int64_t>::max();
  for (uint64_t count = in.Varint(); count > 0 && in.ok(); --count) {
    const uint64_t first = in.Varint(), length = in.Varint();
    if (first > kMaxSample || length > kMaxSample - first) return Malformed("a sample's number is too large");
    runs.emplace_back(first, first + length);
  }
  return IsCanonical(runs) ? Status::Ok() : Malformed("samples are not in order");
}

Status ReadSketches(WireReader& in, const ParallelFor& parallel_for, std::map<std::string, TensorSketch>& sketches) {
  std::map<std::string, std::string_view> serialized;
  PREON_RETURN_IF_ERROR(ReadMap(in, serialized, [&]() -> Result<std::string_view> { return in.Bytes(); }));
  std::vector<std::string_view> all;
  for (const auto& [tensor, bytes] : serialized) all.push_back(bytes);
  std::vector<Result<TensorSketch>> parsed(all.size(), TensorSketch());
  parallel_for(all.size(), [&](size_t i) { parsed[i] = TensorSketch::Parse(all[i]); });
  size_t next = 0;
  for (const auto& [tensor, bytes] : serialized) {
    PREON_ASSIGN_OR_RETURN(TensorSketch sketch, std::move(parsed[next++]));
    sketches.emplace_hint(sketches.end(), tensor, std::move(sketch));
  }
  return Status::Ok();
}

Status ReadOrigins(WireReader& in, CalibrationData& data) {
  std::set<std::string> known;
  for (uint64_t count = in.Varint(); count > 0 && in.ok(); --count) {
    TensorOrigin origin{std::string(in.Bytes()), std::string(in.Bytes())};
    if (!data.tensors.contains(origin.tensor) || !known.insert(origin.tensor).second)
      return Malformed("the origin of no tensor");
    data.origins.push_back(std::move(origin));
  }
  return Status::Ok();
}

Status ReadDerived(WireReader& in, CalibrationData& data) {
  PREON_RETURN_IF_ERROR(ReadMap(in, data.derived, [&]() -> Result<DerivedTensor> {
    DerivedTensor derived{.source = std::string(in.Bytes())};
    const uint64_t gate = in.Varint();
    const float alpha = in.Float(), beta = in.Float();
    const uint64_t times_input = in.Varint();
    if (gate >= ScalarFunction::kGates || times_input > 1) return Malformed("an unknown function");
    derived.function = {static_cast<ScalarFunction::Gate>(gate), alpha, beta, times_input != 0};
    if (derived.function.gate == ScalarFunction::Gate::kTanh && times_input != 0)
      return Malformed("an unknown function");
    const bool has_slope = derived.function.gate == ScalarFunction::Gate::kHardSigmoid;
    const bool slope_fits = has_slope ? alpha > 0 && std::isfinite(alpha) && std::isfinite(beta)
                                      : std::bit_cast<uint32_t>(alpha) == 0 && std::bit_cast<uint32_t>(beta) == 0;
    if (!slope_fits) return Malformed("an unknown function");
    return derived;
  }));
  if (data.derived.empty()) return Malformed("unexpected data after the end");
  for (const auto& [tensor, derived] : data.derived) {
    const bool known = data.tensors.contains(tensor) && data.tensors.contains(derived.source);
    if (!known || data.derived.contains(derived.source)) return Malformed("derived from no tensor");
    for (const TensorSketch* sketch : {&data.tensors.at(tensor), &data.tensors.at(derived.source)}) {
      if (sketch->config().mode != SketchMode::kSampled) return Malformed("derived in exact mode");
    }
    if (data.tensors.at(tensor).config().channels > 0) return Malformed("derived with channel extremes");
  }
  return Status::Ok();
}

Result<RangeQuery> ReadQuery(WireReader& in) {
  IntFormat format{static_cast<DataType>(in.Varint())};
  const uint64_t symmetric = in.Varint(), reduce_range = in.Varint(), scale_type = in.Varint();
  format.symmetric = symmetric != 0;
  format.reduce_range = reduce_range != 0;
  const bool has_codes = IsIntType(format.type) || format.floating();
  if (!has_codes || symmetric > 1 || reduce_range > 1 || scale_type >= ScaleTypeNames().size())
    return Malformed("an unknown number format");
  return RangeQuery{format, static_cast<ScaleType>(scale_type)};
}

Status ReadPlanned(WireReader& in, CalibrationData& data) {
  const auto read = [&]() -> Result<PlannedRange> {
    PlannedRange planned{.observed = std::string(in.Bytes())};
    if (!data.tensors.contains(planned.observed)) return Malformed("the range of no tensor");
    PREON_ASSIGN_OR_RETURN(planned.query, ReadQuery(in));
    planned.method = in.Bytes();
    const uint64_t is_output = in.Varint(), read_activation = in.Varint();
    if (is_output > 1 || read_activation >= kReadActivations) return Malformed("an unknown context");
    planned.context = {is_output != 0, static_cast<ReadActivation>(read_activation)};
    return planned;
  };
  PREON_RETURN_IF_ERROR(ReadMap(in, data.planned, read));
  return data.planned.empty() ? Malformed("unexpected data after the end") : Status::Ok();
}

/// Their bytes are checked by who knows the kind.
Status ReadStatistics(WireReader& in, CalibrationData& data) {
  using OfTensors = std::map<std::string, std::string>;
  const auto read = [&]() -> Result<OfTensors> {
    OfTensors tensors;
    PREON_RETURN_IF_ERROR(ReadMap(in, tensors, [&]() -> Result<std::string> { return std::string(in.Bytes()); }));
    for (const auto& [tensor, bytes] : tensors) {
      if (!data.tensors.contains(tensor)) return Malformed("a statistic of no tensor");
    }
    return tensors;
  };
  PREON_RETURN_IF_ERROR(ReadMap(in, data.statistics, read));
  return data.statistics.empty() ? Malformed("unexpected data after the end") : Status::Ok();
}

std::optional<std::string_view> NextSection(WireReader& in) {
  return in.left() > 0 ? std::optional(in.Bytes()) : std::nullopt;
}

}  // namespace

std::string SerializeCalibration(const CalibrationData& data) {
  WireWriter out;
  out.Bytes(data.model_fingerprint);
  out.Bytes(data.setup);
  out.Varint(data.samples.size());
  for (const auto& [first, last] : data.samples) {
    out.Varint(first);
    out.Varint(last - first);
  }
  out.Varint(data.shared.size());
  for (const auto& [tensor, source] : data.shared) {
    out.Bytes(tensor);
    out.Bytes(source);
  }
  out.Varint(data.tensors.size());
  for (const auto& [tensor, sketch] : data.tensors) {
    out.Bytes(tensor);
    out.Bytes(sketch.Serialize());
  }
  out.Varint(data.origins.size());
  for (const TensorOrigin& origin : data.origins) {
    out.Bytes(origin.tensor);
    out.Bytes(origin.op);
  }
  // Sections that are missing where there is nothing to say, as in files of versions that did not have them.
  if (!data.derived.empty()) {
    out.Bytes(kDerived);
    out.Varint(data.derived.size());
  }
  for (const auto& [tensor, derived] : data.derived) {
    out.Bytes(tensor);
    out.Bytes(derived.source);
    out.Varint(static_cast<uint64_t>(derived.function.gate));
    out.Float(derived.function.alpha);
    out.Float(derived.function.beta);
    out.Varint(derived.function.times_input);
  }
  if (!data.planned.empty()) {
    out.Bytes(kPlanned);
    out.Varint(data.planned.size());
  }
  for (const auto& [tensor, planned] : data.planned) {
    const IntFormat& format = planned.query.format;
    out.Bytes(tensor);
    out.Bytes(planned.observed);
    out.Varint(static_cast<uint64_t>(format.type));
    out.Varint(format.symmetric);
    out.Varint(format.reduce_range);
    out.Varint(static_cast<uint64_t>(planned.query.scale_type));
    out.Bytes(planned.method);
    out.Varint(planned.context.is_output);
    out.Varint(static_cast<uint64_t>(planned.context.read_activation));
  }
  if (HasMasks(data.planned)) {
    out.Bytes(kMasks);
    WriteMasks(data.planned, out);
  }
  if (!data.activation.empty()) {
    out.Bytes(kActivation);
    out.Bytes(data.activation);
  }
  if (data.per_sample) {
    out.Bytes(kPerSample);
    WriteRows(*data.per_sample, out);
  }
  if (!data.statistics.empty()) {
    out.Bytes(kStatistics);
    out.Varint(data.statistics.size());
  }
  for (const auto& [kind, tensors] : data.statistics) {
    out.Bytes(kind);
    out.Varint(tensors.size());
    for (const auto& [tensor, bytes] : tensors) {
      out.Bytes(tensor);
      out.Bytes(bytes);
    }
  }
  std::string bytes = StrCat(kMagic, kVersion) + out.Take();
  return bytes + Sha256Hex(bytes);
}

Result<CalibrationData> ParseCalibration(std::string_view bytes, const ParallelFor& parallel_for) {
  PREON_ASSIGN_OR_RETURN(const std::string_view body, CheckedBody(bytes));
  WireReader in(body);
  CalibrationData data;
  data.model_fingerprint = in.Bytes();
  data.setup = in.Bytes();
  PREON_RETURN_IF_ERROR(ReadRuns(in, data.samples));
  PREON_RETURN_IF_ERROR(ReadMap(in, data.shared, [&]() -> Result<std::string> { return std::string(in.Bytes()); }));
  PREON_RETURN_IF_ERROR(ReadSketches(in, parallel_for, data.tensors));
  PREON_RETURN_IF_ERROR(ReadOrigins(in, data));
  std::optional<std::string_view> section = NextSection(in);
  if (section == kDerived) {
    PREON_RETURN_IF_ERROR(ReadDerived(in, data));
    section = NextSection(in);
  }
  if (section == kPlanned) {
    PREON_RETURN_IF_ERROR(ReadPlanned(in, data));
    section = NextSection(in);
  }
  if (section == kMasks) {
    PREON_RETURN_IF_ERROR(ReadMasks(in, data.planned));
    section = NextSection(in);
  }
  if (section == kActivation) {
    data.activation = in.Bytes();
    if (data.activation.empty()) return Malformed("unexpected data after the end");
    section = NextSection(in);
  }
  if (section == kPerSample) {
    PREON_ASSIGN_OR_RETURN(data.per_sample, ReadRows(in, data.samples, data.tensors));
    section = NextSection(in);
  }
  if (section == kStatistics) {
    PREON_RETURN_IF_ERROR(ReadStatistics(in, data));
    section = NextSection(in);
  }
  if (section) return Malformed("unexpected data after the end");
  if (!in.AtEnd()) return Malformed(in.ok() ? "unexpected data after the end" : "cut short");
  return data;
}

Status SaveCalibration(const CalibrationData& data, const std::string& path) {
  return WriteFileAtomically(path, SerializeCalibration(data));
}

Result<CalibrationData> LoadCalibration(const std::string& path, int threads) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error(ErrorId::kCalibFileMalformed, path, ": is a folder; wanted a .calib file");
  if (!std::filesystem::is_regular_file(path, ignored))
    return Error(ErrorId::kCalibFileMalformed, path, ": no such file");
  PREON_ASSIGN_OR_RETURN(const MappedFile file, MapFile(path));
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  Result<CalibrationData> data = ParseCalibration(bytes, OnThreads(static_cast<size_t>(threads)));
  if (!data.ok()) return std::move(data).status().WithContext(path);
  return data;
}

bool IsCalibFile(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // reading a pipe would wait
  std::ifstream file(path, std::ios::binary);
  std::string begin(kMagic.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kMagic;
}

}  // namespace preon
