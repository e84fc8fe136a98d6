#include "pipeline/worker_arguments.h"

#include <gtest/gtest.h>

#include "config/option_table.h"

namespace preon {
namespace {

Options With(std::initializer_list<std::pair<const char*, const char*>> settings) {
  Options options;
  for (const auto& [name, value] : settings) {
    const Status set = SetOption(options, name, value);
    EXPECT_TRUE(set.ok()) << set.ToString();
  }
  return options;
}

TEST(WorkerArguments, WhatWasGivenButForWhatEachProcessHasItsOwnOf) {
  Options options = With({{"output", "a.calib"},
                          {"data", "x"},
                          {"data", "y"},
                          {"samples", "5"},
                          {"samples", "7"},
                          {"workers", "2"},
                          {"option", "CalibWorkerNum=1"},
                          {"per-tensor", "true"},
                          {"exact", "false"},
                          {"method", "minmax"},
                          {"threads", "2"},
                          {"resume", "true"},
                          {"checkpoint", "1"}});
  options.given.config_file = "c.json";
  EXPECT_EQ(CalibrationArguments(options.given.config_file, options.given.settings),
            (std::vector<std::string>{"--config=c.json", "--data=x", "--data=y", "--samples=7",
                                      "--option=CalibWorkerNum=1", "--per-tensor", "--checkpoint=1"}));
}

}  // namespace
}  // namespace preon
