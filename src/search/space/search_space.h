// SearchSpace: the configurations among which a search chooses, as points for samplers and as JSON for a run.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace preon {

/// What a configuration may have in one place.
struct Dimension {
  std::string name;     ///< "method", "method_options.Percentile"
  int64_t choices = 0;  ///< values are 0 … choices - 1; 0: numbers from `low` to `high`
  double low = 0, high = 0;
  double step = 0;   ///< between two values; 0: any number
  bool log = false;  ///< small numbers are tried as closely as large ones, by their ratio

  /// 0: they can't be counted.
  int64_t values() const;
  /// The value of that number, from 0.
  double ValueAt(int64_t index) const;
  /// The value that is next to it.
  double Nearest(double value) const;
};

/// A configuration: of each dimension the choice or number; none where its condition does not hold.
using Point = std::vector<std::optional<double>>;

class SearchSpace {
 public:
  /// A JSON object whose members are, in any order:
  ///   KEY: [value, ...]                              choices; null: the key is not set
  ///   KEY: {choices: [...], only_if: CONDITION}      the same where the condition holds
  ///   KEY: {type: int|float, low, high, step, log}   numbers, both ends included
  ///   KEY: value                                     the same in every configuration
  ///   method_options, extra_options: {KEY: ...}      members of that part of a configuration
  ///   NAME: {only_if: CONDITION, KEY: ...}           a group: members of the configuration where the condition holds
  /// CONDITION is a key, which is set then, or {KEY: value} or {KEY: [value, ...]} with all of them.
  /// Errors: kBadConfig naming the key.
  static Result<SearchSpace> Parse(const nlohmann::json& description);

  /// The object that it was made of, keys sorted.
  const std::string& description() const { return description_; }
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  /// Whether a dimension has a value, by what those in front of it have.
  bool IsActive(size_t dimension, const Point& point) const;
  /// The number of points, counted up to `most`; none: they can't be counted.
  std::optional<int64_t> Count(int64_t most) const;
  /// A JSON object, as files of --config have it.
  std::string ConfigOf(const Point& point) const;
  /// For each choice, and both ends of numbers: a configuration with it alone, to see whether it is one.
  std::vector<std::string> SingleSettings() const;

 private:
  struct Entry;
  struct Condition {
    size_t dimension = 0;
    std::vector<double> values;  ///< one of these
  };
  /// What a dimension stands for.
  struct Setting {
    std::vector<std::string> path;     ///< in a configuration
    std::vector<std::string> choices;  ///< as JSON; none: numbers
    bool whole = false;
    std::vector<Condition> conditions;  ///< all hold
  };
  /// Behind those that its conditions are about. False where these are not there yet.
  Result<bool> Place(Entry& entry);

  std::string description_;
  std::vector<Dimension> dimensions_;
  std::vector<Setting> settings_;  // one for each
};

/// The point behind `point` where the last dimension changes fastest; without one the first. None: it was the last.
/// Numbers that can't be counted stay at their lower end.
std::optional<Point> NextInGrid(const SearchSpace& space, const std::optional<Point>& point);

}  // namespace preon
