#include "ir/attribute_text.h"

#include "base/str_cat.h"

namespace preon {
namespace {

template <typename Values>
std::string ListText(const Values& values) {
  std::string text;
  for (const auto& value : values) text += StrCat(text.empty() ? "" : ", ", value);
  return "[" + text + "]";
}

}  // namespace

std::string AttributeText(const AttributeValue& value) {
  struct Writer {
    std::string operator()(int64_t number) const { return StrCat(number); }
    std::string operator()(float number) const { return StrCat(number); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const Tensor& tensor) const {
      return StrCat("a tensor ", DataTypeName(tensor.type()), ShapeToString(tensor.shape()));
    }
    std::string operator()(const std::vector<int64_t>& list) const { return ListText(list); }
    std::string operator()(const std::vector<float>& list) const { return ListText(list); }
    std::string operator()(const std::vector<std::string>& list) const { return ListText(list); }
    std::string operator()(const OpaqueAttribute& opaque) const {
      return opaque.is_graph ? "a graph" : "an attribute that preon does not read";
    }
  };
  return std::visit(Writer(), value);
}

}  // namespace preon
