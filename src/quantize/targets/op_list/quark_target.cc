// Target quark: Q/DQ where Quark puts them, with its operators where QuantizeLinear does not have the type.

#include "quantize/targets/op_list/op_list_target.h"
#include "quantize/targets/op_list/quark_rewrites.h"

namespace preon {
namespace {

class QuarkTarget final : public OpListTarget {
 public:
  std::string_view name() const override { return "quark"; }
  std::string_view summary() const override {
    return "Q/DQ placement that NPU compilers expect: pairs around every operator in its list; types that "
           "QuantizeLinear "
           "does not support need libpreon_ops.so";
  }
  int64_t RequiredOpset(const PlanOptions& options) const override {
    return OpListOpset(options.Needs(), kOperators, FormatOf(options) == QuarkFormat::kExtended);
  }
  void SettleFormat(PlanOptions* options) const override { options->op_list.format = FormatOf(*options); }
  bool Takes(const PlanOptions&) const override { return true; }

  bool HasOpList() const override { return true; }
  bool HasExtendedFormat() const override { return true; }
  /// What NPUs have no kernels for becomes something that they have.
  bool WantsPass(std::string_view pass, bool by_default, const PlanOptions& options) const override {
    const bool of_npus = FormatOf(options) == QuarkFormat::kExtended;
    const bool casts = options.bfloat16.casts || options.bfloat16.vaiml;
    const bool ours = by_default || (of_npus && !casts && IsRewriteForNpus(pass));
    return options.compat == Compat::kQuark ? QuarkRewrites(pass, ours, options.op_list.preprocessing) : ours;
  }
  bool HasStages(const PlanOptions& options) const override { return options.compat == Compat::kQuark; }
  bool LeavesNode(std::string_view pass, const Model& model, const Node& node,
                  const PlanOptions& options) const override {
    return options.compat == Compat::kQuark && QuarkLeaves(pass, model, node, options.op_list.preprocessing);
  }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    return PlanOpList(model, options, RulesOf(options));
  }

 private:
  static QuarkFormat FormatOf(const PlanOptions& options) {
    return QuarkFormatFor(options.op_list.format, options.activation, options.weight, options.HasSettings());
  }
  OpListRules RulesOf(const PlanOptions& options) const override {
    OpListRules rules = QuarkRules(FormatOf(options), options.op_list.pairs.fold_relu, options.compat);
    // Scores beside a masked one have its exponent, and are all 0; linear codes have a range that leaves the mask out.
    rules.keeps_masks_float = options.activation.block() != nullptr;
    return rules;
  }

  static constexpr OperatorForm kOperators = OperatorForm::kLibrary;
};

}  // namespace

std::unique_ptr<Target> MakeQuarkTarget() { return std::make_unique<QuarkTarget>(); }

}  // namespace preon
