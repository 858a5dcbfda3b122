// Looks for members of the outermost object in a text that may be no JSON, or that is too long to
// keep: the text goes by piece by piece, and only one short value of it is kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace host::json {

class MemberScan {
 public:
  // `name` is the member whose value is kept.
  explicit MemberScan(std::string_view name) : wanted_(name) {}

  void take(std::string_view piece);

  // The value's own text, a string or another scalar. Empty: it has not ended, is too long, or the
  // member stands twice.
  std::string_view kept() const { return twice_ ? std::string_view() : kept_; }
  // Whether a member of this short name has ended.
  bool has(std::string_view name) const;

 private:
  enum class At { BeforeObject, InName, BeforeColon, InValue, Over };

  void take(char c);
  void end_member();

  const std::string wanted_;
  At at_ = At::BeforeObject;
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  std::string name_;
  std::string value_;
  bool too_long_ = false;
  bool twice_ = false;
  bool found_ = false;
  std::string kept_;
  std::vector<std::string> names_;
};

}  // namespace host::json
