// Cases of tests/graph/<pass>.onnxtxt, for passes of float and of quantized graphs alike: a model in ONNX text before
// the pass and what must come out. Format of a file:
//   # what the pass does
//   === case name: fires | keeps, and why
//   @ shape x 2,3                               settings of the case, where it has some (passes_test.cc)
//   g (float[N] x) => (float[N] y) { … }       model before
//   ---
//   g (…) => (…) { … }                          model after; missing where the pass must change nothing
// A model without a header gets the one in kDefaultHeader.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

namespace preon {

inline constexpr char kDefaultHeader[] = "<ir_version: 8, opset_import: [\"\" : 13]>\n";

struct GraphCase {
  std::string pass, title;
  std::string before, after;  ///< after is empty where nothing may change
  std::vector<std::pair<std::string, std::string>> settings;

  /// A name that gtest takes.
  std::string Name() const {
    std::string name = pass + "_" + title;
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return name;
  }
  friend void PrintTo(const GraphCase& c, std::ostream* out) { *out << c.pass << ": " << c.title; }
};

inline std::string WithHeader(const std::string& model) {
  const size_t first = model.find_first_not_of(" \n");
  return first != std::string::npos && model[first] != '<' ? kDefaultHeader + model : model;
}

inline std::vector<GraphCase> ReadGraphCases(const std::filesystem::path& path) {
  std::vector<GraphCase> cases;
  std::ifstream file(path);
  std::string* text = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("=== ", 0) == 0) {
      cases.push_back({.pass = path.stem().string(), .title = line.substr(4)});
      text = &cases.back().before;
    } else if (line.rfind("@ ", 0) == 0) {
      const size_t space = line.find(' ', 2);
      cases.back().settings.emplace_back(line.substr(2, space - 2),
                                         space == std::string::npos ? "" : line.substr(space + 1));
    } else if (line == "---") {
      text = &cases.back().after;
    } else if (text != nullptr) {
      *text += line + "\n";
    }
  }
  for (GraphCase& c : cases) {
    c.before = WithHeader(c.before);
    c.after = WithHeader(c.after);
  }
  return cases;
}

/// All cases of a folder, in order of file names.
inline std::vector<GraphCase> AllGraphCases(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  if (!std::filesystem::is_directory(folder)) return {};
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".onnxtxt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<GraphCase> cases;
  for (const auto& path : paths) {
    for (GraphCase& c : ReadGraphCases(path)) cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace preon
