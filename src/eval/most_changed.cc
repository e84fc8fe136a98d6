#include "eval/most_changed.h"

#include <algorithm>
#include <utility>

namespace preon {
namespace {

constexpr size_t kMostKept = 8;

}  // namespace

void MostChanged::Add(ChangedSample sample) {
  const auto place = std::ranges::upper_bound(samples_, sample.sqnr_db, {}, &ChangedSample::sqnr_db);
  samples_.insert(place, std::move(sample));
  if (samples_.size() > kMostKept) samples_.pop_back();
}

}  // namespace preon
