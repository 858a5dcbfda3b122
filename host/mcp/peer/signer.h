// Signs data that the host sends to a client and gets back: cursors and request states. The signing
// key is random and belongs to this process, so signatures are not valid after a restart.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::mcp {

class Signer {
 public:
  Signer();

  // Returns `v1.<payload>.<mac>`, with both parts in base64url. The signature covers `context`, but
  // the signed text does not contain the context. So open() needs the same `context` as sign().
  std::string sign(std::string_view payload, std::string_view context) const;
  // Returns the payload, or nullopt if the text was altered or this process did not sign it with
  // this context.
  std::optional<std::string> open(std::string_view text, std::string_view context) const;

 private:
  std::string mac(std::string_view payload, std::string_view context) const;

  std::string key_;
};

// Appends `part` with its length, so that different lists of parts always give different texts.
void append_bound(std::string_view part, std::string& out);

}  // namespace host::mcp
