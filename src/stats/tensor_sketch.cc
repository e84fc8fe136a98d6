#include "stats/tensor_sketch.h"

#include <algorithm>

#include "stats/derive_parts.h"
#include "stats/sketch_parts.h"

namespace preon {

struct TensorSketch::Impl : SketchParts {};

namespace {

constexpr uint64_t kWireVersion = 3;
// Beyond any tensor; keeps a damaged file from asking for memory.
constexpr uint64_t kMaxChannels = uint64_t{1} << 24;

Status Malformed(std::string_view why) { return Error(ErrorId::kCalibFileMalformed, "sketch: ", why); }

}  // namespace

TensorSketch::TensorSketch(const SketchConfig& config) : impl_(std::make_unique<Impl>()) {
  impl_->config = config;
  impl_->channels = ChannelExtremes(config.channels);
  impl_->channel_sums = ChannelSums(config.mean_channels);
}
TensorSketch::TensorSketch(const TensorSketch& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
TensorSketch::TensorSketch(TensorSketch&&) noexcept = default;
TensorSketch& TensorSketch::operator=(TensorSketch other) {
  impl_ = std::move(other.impl_);
  return *this;
}
TensorSketch::~TensorSketch() = default;

void TensorSketch::Update(const float* data, const ChannelLayout& layout, const ParallelFor& parallel_for) {
  SketchStep step{this, data, {}};
  UpdateTogether({&step, 1}, layout, parallel_for);
}

void TensorSketch::UpdateTogether(std::span<SketchStep> steps, const ChannelLayout& layout,
                                  const ParallelFor& parallel_for) {
  PREON_CHECK(layout.block >= 1);
  std::vector<PartsStep> parts;
  for (SketchStep& step : steps) {
    const SketchConfig config = step.sketch == nullptr ? SketchConfig() : step.sketch->config();
    step.nans = 0;
    PREON_CHECK(config.channels == 0 || config.channels == layout.channels);
    PREON_CHECK(config.mean_channels == 0 || config.mean_channels == layout.channels);
    std::vector<PartsOfMeans> derived;
    for (const DerivedMeans& means : step.derived) {
      PREON_CHECK(step.sketch != nullptr && means.sketch->config().mean_channels == layout.channels);
      derived.push_back({means.sketch->impl_.get(), &means.function});
    }
    parts.push_back({step.sketch == nullptr ? nullptr : step.sketch->impl_.get(), step.data, step.compute,
                     std::move(derived), step.nans, step.facts});
  }
  UpdateParts(parts, layout, parallel_for);
}

void TensorSketch::Update(std::span<const float> values) {
  Update(values.data(), {.inner = static_cast<int64_t>(values.size())});
}

Status TensorSketch::Merge(const TensorSketch& other) {
  if (config().mode != other.config().mode) {
    return Error(ErrorId::kSketchMismatch, "exact and sampled sketches can't be merged");
  }
  if (config().channels != other.config().channels || config().mean_channels != other.config().mean_channels) {
    return Error(ErrorId::kSketchMismatch, "sketches of ", std::max(config().channels, config().mean_channels), " and ",
                 std::max(other.config().channels, other.config().mean_channels), " channels can't be merged");
  }
  impl_->Settle();
  other.impl_->Settle();
  impl_->counts.Merge(other.impl_->counts);
  impl_->moments.Merge(other.impl_->moments);
  impl_->channels.Merge(other.impl_->channels);
  impl_->channel_sums.Merge(other.impl_->channel_sums);
  impl_->sample_extremes.Merge(other.impl_->sample_extremes);
  if (config().mode == SketchMode::kExact)
    impl_->offsets.Merge(other.impl_->offsets, other.impl_->histogram, impl_->histogram);
  impl_->histogram.Merge(other.impl_->histogram);
  impl_->outer.Merge(other.impl_->outer);
  return Status::Ok();
}

void TensorSketch::DeriveFrom(const TensorSketch& source, const ScalarFunction& function) {
  PREON_CHECK(config().mode == SketchMode::kSampled && source.config().mode == SketchMode::kSampled);
  PREON_CHECK(config().channels == 0);
  DeriveParts(*source.impl_, source.ReadHistogram(), function, *impl_);
}

const SketchConfig& TensorSketch::config() const { return impl_->config; }
uint64_t TensorSketch::count() const { return impl_->counts.count; }
uint64_t TensorSketch::zero_count() const { return impl_->counts.zeros; }
uint64_t TensorSketch::nan_count() const { return impl_->counts.nans; }
uint64_t TensorSketch::inf_count() const { return impl_->counts.infs; }
uint64_t TensorSketch::samples() const { return impl_->counts.samples; }
float TensorSketch::min() const { return finite_count() == 0 ? 0 : impl_->counts.min; }
float TensorSketch::max() const { return finite_count() == 0 ? 0 : impl_->counts.max; }
// A constant tensor has no rounding errors to show.
double TensorSketch::mean() const { return min() == max() ? min() : impl_->moments.Mean(finite_count()); }
double TensorSketch::variance() const { return min() == max() ? 0 : impl_->moments.Variance(finite_count()); }
std::span<const float> TensorSketch::channel_min() const { return impl_->channels.min(); }
std::span<const float> TensorSketch::channel_max() const { return impl_->channels.max(); }
std::vector<double> TensorSketch::channel_means() const { return impl_->channel_sums.Means(); }
TypicalExtremes TensorSketch::mean_extremes() const {
  impl_->Settle();
  return {impl_->sample_extremes.min.Mean(), impl_->sample_extremes.max.Mean()};
}
TypicalExtremes TensorSketch::median_extremes() const {
  impl_->Settle();
  const SampleExtremes& samples = impl_->sample_extremes;
  return {std::clamp<double>(samples.min.Median(), min(), max()),
          std::clamp<double>(samples.max.Median(), min(), max())};
}
Histogram TensorSketch::ReadHistogram() const {
  impl_->Settle();
  Histogram histogram = impl_->histogram.Read(impl_->counts);
  if (config().mode == SketchMode::kExact) {
    impl_->offsets.ReadInto(histogram, impl_->histogram);
    impl_->outer.ReadInto(histogram);
  }
  return histogram;
}

std::string TensorSketch::Serialize() const {
  impl_->Settle();
  WireWriter out;
  out.Varint(kWireVersion);
  out.Varint(static_cast<uint64_t>(impl_->config.mode));
  out.Varint(static_cast<uint64_t>(impl_->config.channels));
  out.Varint(static_cast<uint64_t>(impl_->config.mean_channels));
  impl_->counts.Write(out);
  impl_->moments.Write(out);
  impl_->channels.Write(out);
  impl_->channel_sums.Write(out);
  impl_->sample_extremes.Write(out);
  impl_->histogram.Write(out);
  if (config().mode == SketchMode::kExact) {
    impl_->offsets.Write(out, impl_->histogram);
    impl_->outer.Write(out);
  }
  return out.Take();
}

Result<TensorSketch> TensorSketch::Parse(std::string_view bytes) {
  WireReader in(bytes);
  if (const uint64_t version = in.Varint(); !in.ok() || version != kWireVersion) {
    return Malformed(StrCat("format ", version, ", wanted ", kWireVersion));
  }
  const uint64_t mode = in.Varint();
  const uint64_t channels = in.Varint();
  const uint64_t mean_channels = in.Varint();
  if (mode > static_cast<uint64_t>(SketchMode::kExact)) return Malformed("unknown mode");
  if (channels > kMaxChannels || channels > in.left() / (2 * sizeof(float)) || mean_channels > kMaxChannels ||
      mean_channels > in.left() / 2)
    return Malformed("cut short");
  TensorSketch sketch({.mode = static_cast<SketchMode>(mode),
                       .channels = static_cast<int64_t>(channels),
                       .mean_channels = static_cast<int64_t>(mean_channels)});
  Impl& parts = *sketch.impl_;
  parts.counts = ValueCounts::Read(in);
  parts.moments = Moments::Read(in);
  parts.channels = ChannelExtremes::Read(parts.config.channels, in);
  parts.channel_sums = ChannelSums::Read(parts.config.mean_channels, in);
  parts.sample_extremes = SampleExtremes::Read(in);
  if (!in.ok()) return Malformed("cut short");
  if (!parts.counts.IsConsistent()) return Malformed("counts contradict each other");
  if (!parts.channels.IsInside(parts.counts.min, parts.counts.max))
    return Malformed("a channel is outside the tensor's range");
  if (!parts.histogram.Parse(in, parts.counts)) return Malformed("the histogram does not fit the counts");
  if (parts.config.mode == SketchMode::kExact) {
    if (parts.histogram.sampled()) return Malformed("a sampled histogram in exact mode");
    if (!parts.offsets.Parse(in, parts.histogram)) return Malformed("an offset lies outside its bin");
    if (!parts.outer.Parse(in, parts.counts, parts.histogram))
      return Malformed("the outer values do not fit the histogram");
  }
  // Whatever else is off (bytes behind the end, a number written another way) shows here.
  if (!in.AtEnd() || sketch.Serialize() != bytes) return Malformed("not in canonical form");
  return sketch;
}

}  // namespace preon
