// Signs what a peer carries for us and brings back: cursors and request states. The key is this
// process's own, so nothing signed outlives it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::mcp {

class Signer {
 public:
  Signer();

  // `v1.<payload>.<mac>`, both base64url. `context` is bound but not carried: the same must be
  // given to open().
  std::string sign(std::string_view payload, std::string_view context) const;
  // The payload; nothing for what was altered, or was not signed here in this context.
  std::optional<std::string> open(std::string_view text, std::string_view context) const;

 private:
  std::string mac(std::string_view payload, std::string_view context) const;

  std::string key_;
};

// One text of several that no other several would give.
void append_bound(std::string_view part, std::string& out);

}  // namespace host::mcp
