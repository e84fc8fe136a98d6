#include "ops/fixed_point_lstm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace preon {
namespace {

constexpr int64_t kCenter = 32768;  // codes are uint16; arithmetic is in int16
constexpr double kUnit = 1 << 24;   // fixed-point one of accumulators

int64_t Saturated(int64_t v) {
  return std::clamp<int64_t>(v, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
}

// Shift right, rounding half away from zero; to the left as far as int64 goes.
int64_t Shifted(int64_t v, int64_t shift) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  if (shift > 62) return 0;
  if (shift < 0) {
    if (v == 0) return 0;
    const int64_t room = shift < -62 ? 0 : kLargest >> -shift;
    if (v > room || v < -room) return v > 0 ? kLargest : -kLargest;
    return v * (int64_t{1} << -shift);
  }
  const int64_t half = shift == 0 ? 0 : int64_t{1} << (shift - 1);
  const int64_t magnitude = ((v < 0 ? -v : v) + half) >> shift;
  return v < 0 ? -magnitude : magnitude;
}
int64_t Srs(int64_t v, int64_t shift) { return Saturated(Shifted(v, shift)); }

int64_t CeilLog2(double v) { return static_cast<int64_t>(std::ceil(std::log2(v))); }

// v as factor * 2^-shift with a factor of 16 bits.
struct Multiplier {
  explicit Multiplier(double v) {
    if (v == 0) return;
    shift = 15 - CeilLog2(std::fabs(v));
    factor =
        std::min<int64_t>(std::llround(std::ldexp(v, static_cast<int>(shift))), std::numeric_limits<int16_t>::max());
  }
  int64_t factor = 0, shift = 0;
};

int64_t Centered(const LstmQuant& quant) { return quant.zero_point - kCenter; }

std::vector<int64_t> Codes(std::span<const float> values, const LstmQuant& quant) {
  std::vector<int64_t> codes;
  codes.reserve(values.size());
  for (const float value : values) {
    const double code = std::nearbyint(value / quant.scale) + static_cast<double>(quant.zero_point);
    codes.push_back(static_cast<int64_t>(std::clamp(std::isnan(code) ? 0.0 : code, 0.0, 65535.0)) - kCenter);
  }
  return codes;
}

int64_t Dot(const int64_t* a, const int64_t* b, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}
int64_t Sum(const int64_t* a, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += a[i];
  return sum;
}

}  // namespace

void FixedPointLstm::Run(std::span<const float> inputs, std::span<const float> weights,
                         std::span<const float> recurrence, std::span<const float> biases,
                         std::span<float> outputs) const {
  const std::vector<int64_t> xs = Codes(inputs, x), ws = Codes(weights, w), rs = Codes(recurrence, r),
                             bs = Codes(biases, b);
  const int64_t xz = Centered(x), wz = Centered(w), rz = Centered(r), bz = Centered(b), yz = Centered(y);
  // Quark rounds its zero point towards zero after adding 1e-9.
  const int64_t start = yz < 0 ? yz + 1 : yz;
  const double qx = double{x.scale * w.scale * static_cast<float>(kUnit)};
  const double qh = double{y.scale * r.scale * static_cast<float>(kUnit)};
  const double qa = qx * static_cast<double>(wz), qb = qh * static_cast<double>(rz);
  const Multiplier of_x(qx), of_h(qh), of_xs(qa), of_hs(qb);
  const int64_t x_shift = CeilLog2(static_cast<double>(input_size)),
                h_shift = CeilLog2(static_cast<double>(hidden_size));
  const double qo = 1.0 / double{y.scale};
  const int64_t out_bits = 16 - CeilLog2(qo);
  const int64_t out_factor = std::min<int64_t>(std::llround(std::ldexp(qo, static_cast<int>(out_bits))), 65535);
  const int64_t out_shift = 24 + out_bits;
  const int64_t rows = 4 * hidden_size;

  for (int64_t direction = 0; direction < 2; ++direction) {
    const int64_t* w_rows = ws.data() + direction * rows * input_size;
    const int64_t* r_rows = rs.data() + direction * rows * hidden_size;
    const int64_t* bias = bs.data() + direction * 2 * rows;
    std::vector<int64_t> constant(static_cast<size_t>(rows)), h(static_cast<size_t>(hidden_size), start),
        acc(static_cast<size_t>(rows));
    std::vector<float> cell(static_cast<size_t>(hidden_size), 0.0f);
    for (int64_t row = 0; row < rows; ++row) {
      const double value = static_cast<double>(input_size) * qa * static_cast<double>(xz) +
                           static_cast<double>(hidden_size) * qb * static_cast<double>(yz) -
                           qx * static_cast<double>(xz * Sum(w_rows + row * input_size, input_size)) -
                           qh * static_cast<double>(yz * Sum(r_rows + row * hidden_size, hidden_size)) +
                           double{b.scale} * kUnit * static_cast<double>(bias[row] + bias[rows + row] - 2 * bz);
      constant[static_cast<size_t>(row)] = Saturated(std::llround(std::clamp(value, -0x1p40, 0x1p40)));
    }
    for (int64_t turn = 0; turn < steps; ++turn) {
      const int64_t step = direction == 0 ? turn : steps - 1 - turn;
      const int64_t* codes = xs.data() + step * input_size;
      const int64_t x_sum = Srs(Sum(codes, input_size) * of_xs.factor, of_xs.shift);
      const int64_t h_sum = Srs(Sum(h.data(), hidden_size) * of_hs.factor, of_hs.shift);
      for (int64_t row = 0; row < rows; ++row) {
        const int64_t p =
            Srs(Srs(Dot(codes, w_rows + row * input_size, input_size), x_shift) * of_x.factor, of_x.shift - x_shift);
        const int64_t o = Srs(Srs(Dot(h.data(), r_rows + row * hidden_size, hidden_size), h_shift) * of_h.factor,
                              of_h.shift - h_shift);
        acc[static_cast<size_t>(row)] = Saturated(p + o - x_sum - h_sum + constant[static_cast<size_t>(row)]);
      }
      const auto gate = [&](int64_t kind, size_t unit) {
        return static_cast<float>(acc[static_cast<size_t>(kind * hidden_size) + unit]);
      };
      const auto sigmoid = [](float v) { return 0.5f * std::tanh(v / (2 * static_cast<float>(kUnit))) + 0.5f; };
      for (size_t unit = 0; unit < h.size(); ++unit) {
        const float in = sigmoid(gate(0, unit)), out = sigmoid(gate(1, unit)), forget = sigmoid(gate(2, unit));
        const float candidate = std::tanh(gate(3, unit) / static_cast<float>(kUnit));
        cell[unit] = in * candidate + forget * cell[unit];
        const float result = out * std::tanh(cell[unit]);
        const int64_t fixed = std::llround(static_cast<double>(result) * kUnit);
        const int64_t wide = Shifted(fixed * out_factor + start * (int64_t{1} << out_shift), out_shift);
        h[unit] = static_cast<int16_t>(std::clamp<int64_t>(wide, -65536, 65536));
        outputs[static_cast<size_t>((step * 2 + direction) * hidden_size) + unit] =
            static_cast<float>(h[unit] + kCenter - y.zero_point) * y.scale;
      }
    }
  }
}

}  // namespace preon
