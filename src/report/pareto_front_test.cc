#include "report/pareto_front.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

ValidatedModel Model(int64_t size_bytes, double sqnr_db, std::string failed = "") {
  ValidatedModel model{.failed = std::move(failed), .size_bytes = size_bytes};
  model.compare.outputs["y"].sqnr_db = sqnr_db;
  return model;
}

TEST(ParetoFront, WhatNoOtherBeats) {
  EXPECT_EQ(OnParetoFront({Model(100, 20), Model(200, 30), Model(200, 29), Model(150, 19), Model(100, 20)}),
            (std::vector<bool>{true, true, false, false, true}));
}

TEST(ParetoFront, WhatWasNotMadeNeitherIsOnItNorBeatsAny) {
  EXPECT_EQ(OnParetoFront({Model(100, 20), Model(0, 200, "no nodes")}), (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace preon
