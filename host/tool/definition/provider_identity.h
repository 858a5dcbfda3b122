// The identity of a provider. The name is for display only, because a file or a server can choose
// it. The host's trust depends on the kind, which only the host's own code sets, and on the build.
#pragma once

#include <cstdint>
#include <string>

namespace host::tool {

struct ProviderIdentity {
  enum class Kind : std::uint8_t { Host, Plugin, Session, Upstream };

  Kind kind = Kind::Plugin;
  // A plugin's file stem; an upstream's name in the configuration; "builtin" for the host's own
  // tools, "session" for a session's client.
  std::string name;
  std::string file;  // its file, or an upstream's command; empty: part of the host
  // Identifies the code: "sha256:HEX" of the library, "toolpost VERSION" for the host's own tools.
  // Of a session: "sha256:HEX" of the definitions, because the host never sees the code. Of an
  // upstream: "sha256:HEX" of what the configuration says of it.
  std::string build;

  bool is_host() const { return kind == Kind::Host; }
  bool is_plugin() const { return kind == Kind::Plugin; }
  bool is_session() const { return kind == Kind::Session; }
  bool is_upstream() const { return kind == Kind::Upstream; }
};

}  // namespace host::tool
