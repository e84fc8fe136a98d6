#include "search/space/study_file.h"

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/output/file_lock.h"
#include "report/json_object.h"

namespace preon {
namespace {

constexpr const char* kKind = "preon search, version 1";

std::optional<double> NumberOf(const JsonObject& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string LineOf(const Point& point, const SearchTrial& trial) {
  JsonObject json = {{"config", JsonObject::parse(trial.config)}, {"point", JsonObject::array()}};
  for (const std::optional<double>& value : point) json["point"].push_back(NumberOrNull(value));
  json["failed"] = trial.failed;
  json["why_not"] = trial.why_not;
  json["sqnr_db"] = trial.sqnr_db;
  json["agreement"] = NumberOrNull(trial.agreement);
  json["metric_loss"] = NumberOrNull(trial.metric_loss);
  json["size_bytes"] = trial.size_bytes;
  json["speedup"] = NumberOrNull(trial.speedup);
  json["seconds"] = trial.seconds;
  return json.dump(-1, ' ', false, JsonObject::error_handler_t::replace) + "\n";
}

bool Has(const JsonObject& line, const std::string& name, const JsonObject& value) {
  return line.contains(name) && line[name] == value;
}

// Of a line that this file has written. Throws for another one.
std::pair<Point, SearchTrial> TrialOf(const JsonObject& json) {
  Point point;
  for (const JsonObject& value : json.at("point")) point.push_back(NumberOf(value));
  return {std::move(point), SearchTrial{.config = json.at("config").dump(),
                                        .failed = json.at("failed").get<std::string>(),
                                        .why_not = json.at("why_not").get<std::string>(),
                                        .sqnr_db = json.at("sqnr_db").get<double>(),
                                        .agreement = NumberOf(json.at("agreement")),
                                        .metric_loss = NumberOf(json.at("metric_loss")),
                                        .size_bytes = json.at("size_bytes").get<int64_t>(),
                                        .speedup = NumberOf(json.at("speedup")),
                                        .seconds = json.at("seconds").get<double>()}};
}

}  // namespace

Result<StudyFile> StudyFile::Open(const std::string& path,
                                  const std::vector<std::pair<std::string, std::string>>& made_of) {
  StudyFile study;
  study.path_ = path;
  study.file_ = Descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!study.file_) return Error(ErrorId::kIoWrite, "--study ", path, ": ", std::strerror(errno));
  if (TryLock(study.file_.get()) == LockState::kHeldByAnother)
    return Error(ErrorId::kConflictingOptions, "--study ", path, ": another search writes to it");
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  JsonObject header = {{"study", kKind}};
  for (const auto& [name, value] : made_of) header[name] = value;
  const std::string line = header.dump(-1, ' ', false, JsonObject::error_handler_t::replace);
  PREON_RETURN_IF_ERROR(study.Read(text, line));
  if (study.whole_ < text.size() && ftruncate(study.file_.get(), static_cast<off_t>(study.whole_)) != 0)
    return Error(ErrorId::kIoWrite, "--study ", path, ": ", std::strerror(errno));
  if (study.whole_ == 0) PREON_RETURN_IF_ERROR(study.Write(line + "\n"));
  return study;
}

Status StudyFile::Read(const std::string& text, const std::string& header) {
  const auto not_ours = [&] { return Error(ErrorId::kBadConfig, "--study ", path_, ": not a study of preon search"); };
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', whole_)) {
    const JsonObject line = JsonObject::parse(text.substr(whole_, end - whole_), nullptr, false);
    if (!line.is_object()) return not_ours();
    if (whole_ == 0) {
      if (!Has(line, "study", kKind)) return not_ours();
      const JsonObject wanted = JsonObject::parse(header);
      for (const auto& [name, value] : wanted.items()) {
        if (!Has(line, name, value))
          return Error(ErrorId::kConflictingOptions, "--study ", path_, ": was made with ",
                       name.ends_with('s') ? "other " : "another ", name)
              .WithHint("name another file, or remove this one");
      }
    } else {
      try {
        auto [point, trial] = TrialOf(line);
        points_.push_back(std::move(point));
        trials_.push_back(std::move(trial));
      } catch (const JsonObject::exception&) {
        return not_ours();
      }
    }
    whole_ = end + 1;
  }
  // What has no line end yet may only be the beginning of a line of ours.
  const bool is_begun = whole_ > 0 || header.starts_with(text.substr(0, header.size()));
  return is_begun ? Status::Ok() : not_ours();
}

Status StudyFile::Append(const Point& point, const SearchTrial& trial) {
  points_.push_back(point);
  trials_.push_back(trial);
  return Write(LineOf(point, trial));
}

Status StudyFile::Write(const std::string& line) {
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = write(file_.get(), line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    written += static_cast<size_t>(count);
  }
  if (written < line.size() || fsync(file_.get()) != 0)
    return Error(ErrorId::kIoWrite, "--study ", path_, ": ", std::strerror(errno));
  whole_ += line.size();
  return Status::Ok();
}

}  // namespace preon
