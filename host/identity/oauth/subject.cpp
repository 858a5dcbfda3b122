#include "identity/oauth/subject.h"

#include <algorithm>

namespace host::identity {
namespace {

constexpr std::string_view kOfSubject = "oauth:";
constexpr std::size_t kLongestSubject = 255;  // OpenID Connect Core, 2

bool fits_a_subject(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-@|:+=~").find(c) != std::string_view::npos;
}

bool is_subject(std::string_view text) {
  return !text.empty() && text.size() <= kLongestSubject &&
         std::all_of(text.begin(), text.end(), fits_a_subject);
}

}  // namespace

Result<std::string> principal_of_subject(std::string_view subject) {
  if (is_subject(subject)) return std::string(kOfSubject) + std::string(subject);
  return Error{ErrorKind::InvalidArgument,
               "the token's sub is missing, longer than 255, or has characters that no name has "
               "here"};
}

bool is_principal_of_subject(std::string_view name) {
  return name.starts_with(kOfSubject) && is_subject(name.substr(kOfSubject.size()));
}

}  // namespace host::identity
