// What `./dev data` made: some of its models stand in for others.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

namespace preon {

/// Whether models/NAME.onnx below `folder` is another model with the same inputs and outputs.
inline bool StandsIn(const std::string& folder, const std::string& name) {
  std::ifstream file(std::filesystem::path(folder) / "fetched.json");
  return file && nlohmann::json::parse(file)["stand_ins"].contains(name);
}

}  // namespace preon
