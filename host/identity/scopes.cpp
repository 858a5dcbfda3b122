#include "identity/scopes.h"

#include <array>

namespace host::identity {
namespace {

constexpr std::array kAll = {Scope::Call, Scope::Approve, Scope::Admin, Scope::Context};

}  // namespace

std::string_view to_string(Scope scope) {
  switch (scope) {
    case Scope::Call:
      return "call";
    case Scope::Approve:
      return "approve";
    case Scope::Admin:
      return "admin";
    case Scope::Context:
      return "context";
  }
  return "";
}

std::optional<Scope> scope_from(std::string_view word) {
  for (const Scope scope : kAll) {
    if (to_string(scope) == word) return scope;
  }
  return std::nullopt;
}

std::string to_text(Scopes scopes) {
  std::string text;
  for (const Scope scope : kAll) {
    if (!scopes.has(scope)) continue;
    if (!text.empty()) text += ' ';
    text += to_string(scope);
  }
  return text;
}

}  // namespace host::identity
