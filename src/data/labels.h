// Class labels: from --labels, from sub-folders' names; names of classes become indices.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/status.h"

namespace preon {

/// The classes of a run. Add all of them first, then ask.
class ClassNames {
 public:
  void Add(const std::string& name) { names_.insert(name); }
  /// The number itself if every class is one, else the place among the distinct names in byte order.
  int64_t IndexOf(const std::string& name) const;

 private:
  std::set<std::string> names_;
};

/// A file of `NAME<TAB>CLASS` lines, or a JSON object {"NAME": CLASS, …}; CLASS is an index or a name.
class LabelFile {
 public:
  /// Errors: kLabels (with the line), kDataNotFound, kIoRead.
  static Result<LabelFile> Load(const std::string& path);
  /// By the sample's key, else by the part of it behind the last '/'.
  std::optional<int64_t> Find(const std::string& key) const;
  size_t size() const { return classes_.size(); }

 private:
  Status Add(const std::string& where, const std::string& name, const std::string& class_name);

  std::map<std::string, std::string> classes_;  // name -> class as written
  ClassNames names_;
};

}  // namespace preon
