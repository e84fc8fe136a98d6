#include "search/space/search_space.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/spelling.h"
#include "config/json_values.h"

namespace preon {
namespace {

using Json = nlohmann::json;

constexpr const char* kOnlyIf = "only_if";

bool IsInterval(const Json& value) {
  return value.contains("type") && value["type"].is_string() && (value.contains("low") || value.contains("high"));
}

Status CheckMembers(const Json& value, const std::vector<std::string>& known) {
  for (const auto& [key, ignored] : value.items()) {
    if (std::ranges::find(known, key) == known.end())
      return Error(ErrorId::kBadConfig, "key '", key, "' is unknown", DidYouMean(key, known));
  }
  return Status::Ok();
}

Result<double> NumberIn(const Json& value, const char* key) {
  if (!value.contains(key) || !value[key].is_number()) return Error(ErrorId::kBadConfig, key, ": wanted a number");
  return value[key].get<double>();
}

Result<Dimension> IntervalOf(const Json& value, bool& whole) {
  PREON_RETURN_IF_ERROR(CheckMembers(value, {"type", "low", "high", "step", "log", kOnlyIf}));
  whole = value["type"] == "int";
  if (!whole && value["type"] != "float")
    return Error(ErrorId::kBadConfig, "type: got ", value["type"].dump(), ", wanted int or float");
  Dimension interval;
  PREON_ASSIGN_OR_RETURN(interval.low, NumberIn(value, "low"));
  PREON_ASSIGN_OR_RETURN(interval.high, NumberIn(value, "high"));
  if (value.contains("log") && !value["log"].is_boolean())
    return WrongType(value["log"], "true or false").WithContext("log");
  interval.log = value.value("log", false);
  if (value.contains("step")) {
    PREON_ASSIGN_OR_RETURN(interval.step, NumberIn(value, "step"));
    if (!(interval.step > 0)) return Error(ErrorId::kBadConfig, "step: wanted a number above 0");
    if (!((interval.high - interval.low) / interval.step < 0x1p53))
      return Error(ErrorId::kBadConfig, "step: ", interval.step, " is too small for values from ", interval.low, " to ",
                   interval.high);
  }
  if (!(interval.low <= interval.high)) return Error(ErrorId::kBadConfig, "wanted low <= high");
  if (interval.log && (interval.low <= 0 || interval.step > 0))
    return Error(ErrorId::kBadConfig, "log: wanted low above 0 and no step");
  if (whole && interval.step == 0) interval.step = 1;
  const auto is_whole = [](double number) { return number == std::round(number); };
  if (whole && !(is_whole(interval.low) && is_whole(interval.high) && is_whole(interval.step)))
    return Error(ErrorId::kBadConfig, "type int: wanted whole numbers");
  return interval;
}

}  // namespace

int64_t Dimension::values() const {
  if (choices > 0) return choices;
  if (low == high) return 1;
  return step > 0 ? static_cast<int64_t>((high - low) / step + 1e-9) + 1 : 0;
}

double Dimension::ValueAt(int64_t index) const {
  return choices > 0 ? static_cast<double>(index) : low + static_cast<double>(index) * step;
}

double Dimension::Nearest(double value) const {
  const double inside = std::clamp(value, low, high);
  if (step == 0) return inside;
  return ValueAt(std::min(static_cast<int64_t>(std::round((inside - low) / step)), values() - 1));
}

// What stands in one place of the description.
struct SearchSpace::Entry {
  Dimension dimension;
  Setting setting;  // its conditions are filled in by Place
  Json conditions = Json::array();

  static Result<Entry> Parse(std::vector<std::string> path, const Json& value, Json conditions);
  static Status ParseMembers(const std::vector<std::string>& path, const Json& members, const Json& conditions,
                             std::vector<Entry>& entries);
};

Result<SearchSpace::Entry> SearchSpace::Entry::Parse(std::vector<std::string> path, const Json& value,
                                                     Json conditions) {
  Entry entry{.setting = {.path = std::move(path)}, .conditions = std::move(conditions)};
  Json choices = Json::array({value});
  if (value.is_object() && value.contains(kOnlyIf)) entry.conditions.push_back(value[kOnlyIf]);
  if (value.is_array()) {
    choices = value;
  } else if (value.is_object() && value.contains("choices")) {
    PREON_RETURN_IF_ERROR(CheckMembers(value, {"choices", kOnlyIf}));
    choices = value["choices"];
    if (!choices.is_array()) return WrongType(choices, "a list").WithContext("choices");
  } else if (value.is_object() && IsInterval(value)) {
    PREON_ASSIGN_OR_RETURN(entry.dimension, IntervalOf(value, entry.setting.whole));
    choices.clear();
  } else if (value.is_object()) {
    return Error(ErrorId::kBadConfig,
                 "wanted a value, a list of choices, {type, low, high, step, log}, "
                 "{choices, only_if} or a group with only_if");
  }
  if (choices.empty() && !IsInterval(value)) return Error(ErrorId::kBadConfig, "wanted at least one choice");
  for (const Json& choice : choices) entry.setting.choices.push_back(choice.dump());
  entry.dimension.choices = static_cast<int64_t>(choices.size());
  for (const std::string& part : entry.setting.path) {
    entry.dimension.name += entry.dimension.name.empty() ? part : "." + part;
  }
  return entry;
}

// `path`: of what the members belong to, in a configuration.
Status SearchSpace::Entry::ParseMembers(const std::vector<std::string>& path, const Json& members,
                                        const Json& conditions, std::vector<Entry>& entries) {
  for (const auto& [key, value] : members.items()) {
    if (key == kOnlyIf) continue;
    std::vector<std::string> inner = path;
    const bool is_part = path.empty() && (key == "method_options" || key == "extra_options") && value.is_object();
    const bool is_group =
        value.is_object() && value.contains(kOnlyIf) && !value.contains("choices") && !IsInterval(value);
    if (is_part || !is_group) inner.push_back(key);
    if (is_part || is_group) {
      Json all = conditions;
      if (value.contains(kOnlyIf)) all.push_back(value[kOnlyIf]);
      PREON_RETURN_IF_ERROR(ParseMembers(inner, value, all, entries));
      continue;
    }
    Result<Entry> entry = Parse(std::move(inner), value, conditions);
    if (!entry.ok()) return std::move(entry).status().WithContext(key);
    entries.push_back(*std::move(entry));
  }
  return Status::Ok();
}

Result<bool> SearchSpace::Place(Entry& entry) {
  std::vector<Condition> conditions;  // of what is there already
  for (const Json& text : entry.conditions) {
    if (!text.is_string() && !text.is_object()) return WrongType(text, "a key or {KEY: value}").WithContext(kOnlyIf);
    const Json wanted = text.is_string() ? Json::object({{text.get<std::string>(), nullptr}}) : text;
    for (const auto& [key, value] : wanted.items()) {
      const auto place = std::ranges::find(dimensions_, key, &Dimension::name);
      if (place == dimensions_.end()) return false;
      Condition condition{.dimension = static_cast<size_t>(place - dimensions_.begin())};
      const std::vector<std::string>& choices = settings_[condition.dimension].choices;
      if (choices.empty()) return Error(ErrorId::kBadConfig, kOnlyIf, ": ", key, " has no list of choices");
      for (size_t choice = 0; choice < choices.size(); ++choice) {
        const Json known = Json::parse(choices[choice]);
        const bool is_among = value.is_array() && std::ranges::find(value, known) != value.end();
        if (text.is_string() ? !known.is_null() : known == value || is_among)
          condition.values.push_back(static_cast<double>(choice));
      }
      if (condition.values.empty()) return Error(ErrorId::kBadConfig, kOnlyIf, ": ", key, " is never ", value.dump());
      conditions.push_back(std::move(condition));
    }
  }
  dimensions_.push_back(std::move(entry.dimension));
  entry.setting.conditions = std::move(conditions);
  settings_.push_back(std::move(entry.setting));
  return true;
}

Result<SearchSpace> SearchSpace::Parse(const Json& description) {
  if (!description.is_object()) return WrongType(description, "an object");
  std::vector<Entry> entries;
  PREON_RETURN_IF_ERROR(Entry::ParseMembers({}, description, Json::array(), entries));
  if (entries.empty()) return Error(ErrorId::kBadConfig, "nothing to choose among");
  SearchSpace space;
  space.description_ = description.dump();
  while (!entries.empty()) {
    std::vector<Entry> left;
    for (Entry& entry : entries) {
      Result<bool> placed = space.Place(entry);
      if (!placed.ok()) return std::move(placed).status().WithContext(entry.dimension.name);
      if (!*placed) left.push_back(std::move(entry));
    }
    if (left.size() == entries.size())
      return Error(ErrorId::kBadConfig, left.front().dimension.name, ": ", kOnlyIf, ": got ",
                   left.front().conditions.dump(), ", wanted keys of the space, and no cycle");
    entries = std::move(left);
  }
  return space;
}

bool SearchSpace::IsActive(size_t dimension, const Point& point) const {
  return std::ranges::all_of(settings_[dimension].conditions, [&](const Condition& condition) {
    const std::optional<double>& value = point[condition.dimension];
    return value && std::ranges::find(condition.values, *value) != condition.values.end();
  });
}

std::optional<int64_t> SearchSpace::Count(int64_t most) const {
  if (std::ranges::any_of(dimensions_, [](const Dimension& each) { return each.values() == 0; })) return std::nullopt;
  int64_t count = 0;
  for (std::optional<Point> point = NextInGrid(*this, {}); point && count < most; point = NextInGrid(*this, point))
    ++count;
  return count;
}

std::string SearchSpace::ConfigOf(const Point& point) const {
  Json config = Json::object();
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    if (!point[i]) continue;
    const Setting& setting = settings_[i];
    Json value = *point[i];
    if (setting.whole) value = static_cast<int64_t>(*point[i]);
    if (!setting.choices.empty()) value = Json::parse(setting.choices[static_cast<size_t>(*point[i])]);
    if (value.is_null()) continue;
    Json* place = &config;
    for (const std::string& part : setting.path) place = &(*place)[part];
    *place = std::move(value);
  }
  return config.dump();
}

std::vector<std::string> SearchSpace::SingleSettings() const {
  std::vector<std::string> configs;
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    std::vector<double> values = {dimensions_[i].low, dimensions_[i].high};
    if (dimensions_[i].choices > 0) values.clear();
    for (int64_t choice = 0; choice < dimensions_[i].choices; ++choice) values.push_back(static_cast<double>(choice));
    for (const double value : values) {
      Point point(dimensions_.size());
      point[i] = value;
      configs.push_back(ConfigOf(point));
    }
  }
  return configs;
}

std::optional<Point> NextInGrid(const SearchSpace& space, const std::optional<Point>& point) {
  const std::vector<Dimension>& dimensions = space.dimensions();
  Point next = point.value_or(Point(dimensions.size()));
  size_t keep = 0;  // so many dimensions stay as they are
  if (point) {
    keep = dimensions.size();
    while (keep > 0) {
      const Dimension& dimension = dimensions[keep - 1];
      std::optional<double>& value = next[keep - 1];
      const double step = dimension.choices > 0 ? 1 : dimension.step;
      const double last = dimension.ValueAt(std::max(dimension.values(), int64_t{1}) - 1);
      if (value && *value + step / 2 < last) {
        value = dimension.ValueAt(std::llround((*value - dimension.ValueAt(0)) / step) + 1);
        break;
      }
      --keep;
    }
    if (keep == 0) return std::nullopt;
  }
  for (size_t i = keep; i < dimensions.size(); ++i) {
    next[i].reset();
    if (space.IsActive(i, next)) next[i] = dimensions[i].ValueAt(0);
  }
  return next;
}

}  // namespace preon
