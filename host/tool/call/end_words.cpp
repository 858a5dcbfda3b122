#include "tool/call/end_words.h"

namespace host::tool {
namespace {

constexpr const char* kBegun = ". What it did until then stands";
constexpr const char* kNotBegun = " while it still waited: it did not run and changed nothing";

}  // namespace

std::string end_words(EndedBy by, std::string_view tool, bool may_have_begun) {
  const std::string call = "this call of \"" + std::string(tool) + "\"";
  const std::string far = may_have_begun ? kBegun : kNotBegun;
  switch (by) {
    case EndedBy::Operator:
      return "An operator ended " + call + far +
             (may_have_begun ? "; do not retry it unchanged." : ". Do not retry it unchanged.");
    case EndedBy::Session:
      return "The session of " + call + " has ended, so the host ended the call" + far + ".";
    case EndedBy::Credential:
      break;
  }
  return "The key, login or token that allowed " + call +
         " is not valid any more, so the host ended it" + far +
         ". Get a new key or token, or log in again, before you call again.";
}

std::string_view did_not_run(const Call& call) {
  return call.continues ? "did not continue" : "did not run";
}

}  // namespace host::tool
