#include "json/member_scan.h"

#include <algorithm>

namespace host::json {
namespace {

constexpr std::size_t kNameBytes = 16;
constexpr std::size_t kNames = 16;
constexpr std::size_t kValueBytes = 32u << 10u;  // as it stands, with its escapes

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

bool MemberScan::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

void MemberScan::take(std::string_view piece) {
  for (const char c : piece) {
    if (at_ == At::Over) return;
    take(c);
  }
}

void MemberScan::take(char c) {
  const bool keeps = at_ == At::InValue && depth_ == 1 && name_ == wanted_;
  if (in_string_) {
    const bool ends = c == '"' && !escaped_;
    escaped_ = c == '\\' && !escaped_;
    if (ends) in_string_ = false;
    if (depth_ == 1 && at_ == At::InName && ends) {
      at_ = At::BeforeColon;
    } else if (depth_ == 1 && at_ == At::InName && name_.size() <= kNameBytes) {
      name_ += c;
    }
  } else if (at_ == At::BeforeObject) {
    if (is_space(c)) return;
    at_ = c == '{' ? At::InName : At::Over;
    depth_ = 1;
    return;
  } else if (c == '"') {
    in_string_ = true;
  } else if (c == '{' || c == '[') {
    ++depth_;
    return;
  } else if (c == '}' || c == ']') {
    if (--depth_ > 0) return;
    end_member();
    at_ = At::Over;
    return;
  } else if (depth_ == 1 && c == ',') {
    end_member();
    return;
  } else if (depth_ == 1 && c == ':' && at_ == At::BeforeColon) {
    at_ = At::InValue;
    return;
  } else if (is_space(c)) {
    return;
  }
  if (!keeps) return;
  if (value_.size() == kValueBytes) {
    too_long_ = true;
  } else {
    value_ += c;
  }
}

void MemberScan::end_member() {
  if (at_ == At::InValue) {
    if (name_.size() <= kNameBytes && names_.size() < kNames) names_.push_back(name_);
    if (name_ == wanted_) {
      twice_ = found_;
      found_ = true;
      kept_ = too_long_ ? std::string() : value_;
    }
  }
  at_ = At::InName;
  name_.clear();
  value_.clear();
  too_long_ = false;
}

}  // namespace host::json
