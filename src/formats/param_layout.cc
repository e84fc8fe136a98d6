#include "formats/param_layout.h"

namespace preon {

Result<ParamLayout> ParamLayout::PerAxis(std::span<const int64_t> shape, int64_t axis) {
  PREON_ASSIGN_OR_RETURN(ParamLayout layout, PerBlock(shape, axis, 1));
  layout.blocked_ = false;
  return layout;
}

Result<ParamLayout> ParamLayout::PerBlock(std::span<const int64_t> shape, int64_t axis, int64_t block_size) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (axis < -rank || axis >= rank) {
    return Error(ErrorId::kFormatAxis, "axis: got ", axis, " for shape ", ShapeToString({shape.begin(), shape.end()}),
                 rank == 0 ? ", which has no axis" : StrCat(", wanted ", -rank, " to ", rank - 1));
  }
  if (block_size < 1) {
    return Error(ErrorId::kFormatAttribute, "block_size: got ", block_size, ", wanted at least 1");
  }
  PREON_ASSIGN_OR_RETURN(const BlockView view, ViewBlocks(shape, axis, block_size));
  return ParamLayout(view, true);
}

}  // namespace preon
