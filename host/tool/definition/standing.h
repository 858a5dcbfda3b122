// Which of a tool's claims about its own calls the host accepts, after it has applied the
// operator's trust. The permission engine, the choice of workers and every listing use this result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/trust.h"
#include "tool/definition/provider_identity.h"

namespace host::tool {

struct Declaration;

// Which calls only read, and so run without approval.
enum class Reads : std::uint8_t {
  Never,      // every call may change something
  ByCheck,    // calls for which its check_read_only says so
  ByCommand,  // calls whose command the host judges to be read-only
  Always,
};

// Which of its own calls the tool may allow.
enum class OwnYes : std::uint8_t {
  Never,
  ByCheck,       // calls that its check_permissions allows
  NotInExplore,  // all, except in explore mode: tools of a session's client, and todo_write
  Always,        // the host's other tools: all
};

struct Standing {
  config::Trust trust = config::Trust::None;
  Reads reads = Reads::Never;
  OwnYes own_yes = OwnYes::Never;
  // True: the host believes the tool's match_rule also if the answer allows more: an allow rule
  // matches, or a deny or ask rule does not. An answer that allows less is always believed.
  bool own_match = false;
};

Standing standing_of(const Declaration& declared, ProviderIdentity::Kind kind);

// As `tools`, REST and `plugin check` print it.
std::string_view to_string(Reads reads);          // never, by_check, by_command, always
std::string_view to_string(OwnYes own_yes);       // never, by_check, not_in_explore, always
std::string_view to_string(config::Trust trust);  // full, read_only, none

// {"trust": "full", "reads_only": "always", "allows_itself": "never"}
std::string as_json(const Standing& standing);

// One line for users: "trust: full; reads only: always; allows itself: never".
std::string describe(const Standing& standing);

}  // namespace host::tool
