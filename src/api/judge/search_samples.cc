#include "api/judge/search_samples.h"

#include "api/judge/judging_samples.h"
#include "base/hash.h"
#include "data/array_layout.h"
#include "data/held_out.h"

namespace preon {
namespace {

// Every other batch of samples, and the others.
std::pair<SampleRuns, SampleRuns> Halves(const SampleRuns& runs, int64_t batch) {
  std::pair<SampleRuns, SampleRuns> halves;
  int64_t place = 0;
  for (const auto& [first, last] : runs) {
    for (int64_t sample = first; sample < last; ++sample) {
      SampleRuns& half = place++ / batch % 2 == 0 ? halves.first : halves.second;
      if (!half.empty() && half.back().second == sample)
        ++half.back().second;
      else
        half.emplace_back(sample, sample + 1);
    }
  }
  return halves;
}

}  // namespace

Result<SearchSamples> SamplesOfSearch(const Samples& given, const Samples& eval, const Samples& reference,
                                      const std::vector<TensorSpec>& inputs) {
  PREON_ASSIGN_OR_RETURN(KeptSamples kept, KeepSamples(given, eval, inputs));
  if (eval.open) {
    PREON_ASSIGN_OR_RETURN(kept.places, SamplePlaces(eval, inputs));
  }
  auto [choosing, judging] = Halves(kept.places, FixedBatch(inputs));
  SearchSamples samples{.fit = kept.fit, .unseen = kept.unseen && CountSamples(judging) >= kLeastHeldOut / 2};
  if (!samples.unseen) choosing = judging = {};  // all of them do both
  PREON_ASSIGN_OR_RETURN(const SampleRuns not_choosing, JoinedRuns(kept.left_out, judging));
  PREON_ASSIGN_OR_RETURN(const SampleRuns not_judging, JoinedRuns(kept.left_out, choosing));
  const Samples& stream = eval.open ? eval : given;
  samples.choosing = Without(stream, not_choosing);
  samples.judging = Without(stream, not_judging);
  if (!reference.open) return samples;
  samples.choosing_reference = Without(reference, not_choosing);
  samples.judging_reference = Without(reference, not_judging);
  return samples;
}

Result<std::string> DigestOf(const Samples& samples, const std::vector<TensorSpec>& inputs) {
  Sha256 digest;
  PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source, samples.open(inputs, {}));
  while (true) {
    PREON_ASSIGN_OR_RETURN(const std::optional<Batch> batch, source->Next());
    if (!batch) return digest.Finish();
    for (const NamedTensor& feed : batch->feeds) digest.Update(feed.tensor.bytes());
  }
}

}  // namespace preon
