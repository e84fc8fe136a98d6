// The bidirectional LSTM of 16-bit data that ExtendedLSTM emulates.
#pragma once

#include <cstdint>
#include <span>

namespace preon {

/// real = scale * (code - zero_point), codes uint16.
struct LstmQuant {
  float scale = 1;
  int64_t zero_point = 0;
};

struct FixedPointLstm {
  int64_t steps, input_size, hidden_size;
  LstmQuant x, w, r, b, y;

  /// One batch. Gates in the order i, o, f, c; tanh of the C library (other ones may move a code by one).
  /// Numerics: Quark 0.13's, its shifted start value for y.zero_point < 32768 included; but a multiplier that
  /// is a power of two is 32767 / 32768 of it, not negative.
  /// @param inputs   [steps, input_size]
  /// @param weights  [2, 4 * hidden_size, input_size]
  /// @param recurrence  [2, 4 * hidden_size, hidden_size]
  /// @param biases   [2, 8 * hidden_size]
  /// @param outputs  [steps, 2, hidden_size], forward and backward
  void Run(std::span<const float> inputs, std::span<const float> weights, std::span<const float> recurrence,
           std::span<const float> biases, std::span<float> outputs) const;
};

}  // namespace preon
