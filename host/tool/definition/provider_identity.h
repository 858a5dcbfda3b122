// A ProviderIdentity is the identity of a provider. The name of a provider is only for display,
// because the author of a plugin or a server can choose any name. The host's trust in a provider
// depends on the provider's kind, which only the host's own code sets, and on its build.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace host::tool {

struct ProviderIdentity {
  enum class Kind : std::uint8_t { Host, Plugin, Session, Upstream };

  Kind kind = Kind::Plugin;
  // `name` is the provider's name: the file stem of a plugin, an upstream's name in the
  // configuration, a name like "builtin" for the host's own tools, or "session" for a session's
  // client.
  std::string name;
  std::string file;  // a plugin's file, or an upstream's command; empty for a part of the host
  // `build` identifies the code: "sha256:HEX" of the library, or "toolpost VERSION" for the host's
  // own tools. For tools of a client session, `build` is "sha256:HEX" of the tool definitions. For
  // an upstream, the build is "sha256:HEX" of the upstream's configuration.
  std::string build;

  // An Id contains what stays the same in each build of the provider. Views hide a provider by its
  // id.
  struct Id {
    Kind kind = Kind::Plugin;
    std::string name;

    auto operator<=>(const Id&) const = default;
  };
  Id id() const { return {kind, name}; }

  bool is_host() const { return kind == Kind::Host; }
  bool is_plugin() const { return kind == Kind::Plugin; }
  bool is_session() const { return kind == Kind::Session; }
  bool is_upstream() const { return kind == Kind::Upstream; }
};

}  // namespace host::tool
