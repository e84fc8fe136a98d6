#include "solver/sweep.h"

#include <algorithm>
#include <numeric>

#include "solver/dense.h"

namespace preon {
namespace {

// Inputs that are gone through one by one; what that does to all others is a product.
constexpr size_t kInputBlock = 64;

}  // namespace

SweepOrder MakeSweepOrder(const Matrix& curvature, bool by_curvature) {
  SweepOrder order{.inputs = std::vector<size_t>(curvature.rows()),
                   .factor = Matrix(curvature.rows(), curvature.rows())};
  std::iota(order.inputs.rbegin(), order.inputs.rend(), size_t{0});
  if (by_curvature) {
    std::ranges::stable_sort(order.inputs, {}, [&](size_t i) { return curvature.at(i, i); });
  }
  for (size_t i = 0; i < curvature.rows(); ++i) {
    const float* from = curvature.row(order.inputs[i]);
    for (size_t j = 0; j < curvature.rows(); ++j) order.factor.at(i, j) = from[order.inputs[j]];
  }
  if (!FactorUpper(order.factor.view())) order.factor = Matrix();
  return order;
}

void Sweep(const SweepOrder& order, CodePanel& panel) {
  const size_t inputs = panel.inputs(), outputs = panel.outputs();
  Matrix error(inputs, outputs);  // optimum minus chosen, in the order of the sweep
  Matrix pulled(std::min(kInputBlock, inputs), outputs);
  const ConstMatrixView factor = order.factor.view();
  for (size_t end = inputs; end > 0;) {
    const size_t begin = (end - 1) / kInputBlock * kInputBlock;
    std::ranges::fill(pulled.values(), 0.0F);
    if (end < inputs) {
      AddProduct(factor.Rows(begin, end - begin).Columns(end, inputs - end), error.view().Rows(end, inputs - end), 1,
                 pulled.view().Rows(0, end - begin));
    }
    for (size_t i = end; i-- > begin;) {
      float* const pull = pulled.row(i - begin);
      for (size_t later = i + 1; later < end; ++later) {
        const float weight = factor.row(i)[later];
        const float* const from = error.row(later);
        for (size_t j = 0; j < outputs; ++j) pull[j] += weight * from[j];
      }
      const size_t input = order.inputs[i];
      const float inverse = 1 / factor.row(i)[i];
      const float *const optimum = panel.optimum.row(input), *const scale = panel.scale.row(input);
      const float *const least = panel.least.row(input), *const most = panel.most.row(input);
      float *const code = panel.code.row(input), *const left = error.row(i);
      for (size_t j = 0; j < outputs; ++j) {
        const float wanted = (optimum[j] + pull[j] * inverse) / scale[j];
        code[j] = NearestInteger(std::min(std::max(wanted, least[j]), most[j]));
        left[j] = optimum[j] - scale[j] * code[j];
      }
    }
    end = begin;
  }
}

}  // namespace preon
