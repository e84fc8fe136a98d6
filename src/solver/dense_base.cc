#define Eigen EigenOfAll
#include "solver/dense-inl.h"

namespace preon {

const DenseSet& BaseDenseSet() { return kDenseSet; }

}  // namespace preon
