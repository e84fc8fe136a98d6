// Configuration files: the text as JSON and as YAML.
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "config/files/config.h"
#include "config/yaml.h"
#include "fuzz.h"

namespace preon {

void FuzzOne(const std::string& path) {
  const std::string text = ReadFile(path).value();
  for (const char* name : {"config.json", "config.yaml"}) {
    Options options;
    (void)ApplyConfigText(options, text, name).ok();
  }
  (void)ParseYaml(text, "x.yaml").ok();
}

}  // namespace preon
