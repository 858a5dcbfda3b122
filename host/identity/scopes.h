// Defines the scopes that a key or a login to the console can have. The key of an agent, which a
// model uses, has no scopes other than Call and Context.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace host::identity {

enum class Scope : std::uint32_t {
  Call = 1,     // tools, over MCP and REST
  Approve = 2,  // decide approvals
  Admin = 4,    // view and change the host's state
  Context = 8,  // send a context with a single call; useful only together with Call
};

class Scopes {
 public:
  constexpr Scopes() = default;
  constexpr explicit Scopes(std::uint32_t bits) : bits_(bits) {}
  constexpr Scopes(Scope one) : bits_(static_cast<std::uint32_t>(one)) {}

  constexpr bool has(Scope one) const { return (bits_ & static_cast<std::uint32_t>(one)) != 0; }
  constexpr Scopes with(Scope one) const { return Scopes(bits_ | static_cast<std::uint32_t>(one)); }
  constexpr std::uint32_t bits() const { return bits_; }  // the stored form

  bool operator==(const Scopes&) const = default;

 private:
  std::uint32_t bits_ = 0;
};

inline constexpr Scopes kEveryScope =
    Scopes(Scope::Call).with(Scope::Approve).with(Scope::Admin).with(Scope::Context);

std::string_view to_string(Scope scope);  // call, approve, admin, context
std::optional<Scope> scope_from(std::string_view word);
std::string to_text(Scopes scopes);  // "call approve", as OAuth writes them

struct Principal {
  std::string name;
  Scopes scopes;
};

// kLocal is the principal of clients without a key, if the configuration allows such clients.
inline constexpr std::string_view kLocal = "local";

// kOperator is the principal of logins that began with one of the host's one-time links. No key
// belongs to the principal `operator`. In the audit log, the principal `operator` stands for a user
// who can read the host's output or run its command line.
inline constexpr const char* kOperator = "operator";

}  // namespace host::identity
