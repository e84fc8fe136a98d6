#include "api/judge/search_samples.h"

#include "api/judge/judging_samples.h"
#include "data/held_out.h"

namespace preon {
namespace {

// Every other sample, and the others.
std::pair<SampleRuns, SampleRuns> Halves(const SampleRuns& runs) {
  std::pair<SampleRuns, SampleRuns> halves;
  int64_t place = 0;
  for (const auto& [first, last] : runs) {
    for (int64_t sample = first; sample < last; ++sample)
      (place++ % 2 == 0 ? halves.first : halves.second).emplace_back(sample, sample + 1);
  }
  return halves;
}

Result<SampleRuns> Joined(SampleRuns a, const SampleRuns& b) {
  a.insert(a.end(), b.begin(), b.end());
  return Canonical(std::move(a));
}

// A part of a stream.
struct Part {
  Samples stream;
  SampleRuns in, out;
};

Result<Part> KeptPart(const Samples& given, const DataOptions& eval_data, const std::vector<TensorSpec>& inputs,
                      Samples& fit) {
  const bool has_own = eval_data.from.has_sources();
  Part kept{.stream = given};
  if (has_own) kept.stream = EvalSamples(eval_data);
  PREON_ASSIGN_OR_RETURN(SplitSamples split, SplitOf(kept.stream, inputs));
  fit = given;
  if (has_own || CountSamples(split.held_out) < kLeastHeldOut) {
    PREON_ASSIGN_OR_RETURN(kept.in, Joined(std::move(split.used), split.held_out));
    return kept;
  }
  fit = Without(given, split.held_out);
  kept.in = std::move(split.held_out);
  kept.out = std::move(split.used);
  return kept;
}

}  // namespace

Result<SearchSamples> SamplesOfSearch(const Samples& given, const DataOptions& eval_data, const DataOptions& reference,
                                      const std::vector<TensorSpec>& inputs) {
  SearchSamples samples;
  PREON_ASSIGN_OR_RETURN(const Part kept, KeptPart(given, eval_data, inputs, samples.fit));
  auto [choosing, judging] = Halves(kept.in);
  const bool is_kept = !kept.out.empty() || eval_data.from.has_sources();
  samples.unseen = is_kept && std::ssize(judging) >= kLeastHeldOut / 2;
  if (!samples.unseen) choosing = judging = {};  // all of them do both
  PREON_ASSIGN_OR_RETURN(const SampleRuns not_choosing, Joined(kept.out, judging));
  PREON_ASSIGN_OR_RETURN(const SampleRuns not_judging, Joined(kept.out, choosing));
  samples.choosing = Without(kept.stream, not_choosing);
  samples.judging = Without(kept.stream, not_judging);
  if (!reference.from.has_sources()) return samples;
  const Samples expected = EvalSamples(reference);
  samples.choosing_reference = Without(expected, not_choosing);
  samples.judging_reference = Without(expected, not_judging);
  return samples;
}

}  // namespace preon
