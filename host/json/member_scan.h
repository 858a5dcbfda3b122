// A MemberScan finds members of the outermost object in a JSON text. The function take() gets the
// text in pieces, so the text may be larger than the memory. A MemberScan also accepts text that is
// not valid JSON. A MemberScan keeps only the value of the member `name`, and only if this value is
// short.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace host::json {

class MemberScan {
 public:
  explicit MemberScan(std::string_view name) : wanted_(name) {}

  void take(std::string_view piece);

  // Returns the text of the member's value: a string without its quotes, or another scalar. The
  // text is empty if the value has not ended yet or is too long, or if the member occurs twice.
  std::string_view kept() const { return twice_ ? std::string_view() : kept_; }
  // Returns true if the text contains a complete member with this name. The function has() does not
  // find members with long names.
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
