// What is in force of what a tool says in favour of its own calls, once the operator's trust has
// been applied. This is the one answer: the permission engine decides by it, workers are chosen by
// it, and every listing prints it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/trust.h"
#include "tool/provider_identity.h"

namespace host::tool {

struct Declaration;

// Whether a call changes nothing, and so runs unasked.
enum class Reads : std::uint8_t {
  Never,      // every call may change something
  ByCheck,    // those of which its check_read_only says so
  ByCommand,  // those whose command the host knows to read only
  Always,
};

// Whether the tool may allow its own calls.
enum class OwnYes : std::uint8_t {
  Never,
  ByCheck,       // those that its check_permissions allows
  NotInExplore,  // the host's own: all, but in explore mode
  Always,        // the host's own: all
};

struct Standing {
  config::Trust trust = config::Trust::None;
  Reads reads = Reads::Never;
  OwnYes own_yes = OwnYes::Never;
  // Its match_rule counts where that makes a call easier: a yes to an allow rule, a no to a deny or
  // ask rule. Where it makes a call harder it always counts.
  bool own_match = false;
};

Standing standing_of(const Declaration& declared, ProviderIdentity::Kind kind);

// As `tools`, REST and `plugin check` print it.
std::string_view to_string(Reads reads);          // never, by_check, by_command, always
std::string_view to_string(OwnYes own_yes);       // never, by_check, not_in_explore, always
std::string_view to_string(config::Trust trust);  // full, read_only, none

// {"trust": "full", "reads_only": "always", "allows_itself": "never"}
std::string as_json(const Standing& standing);

// One line for people: "trust: full; reads only: always; allows itself: never".
std::string describe(const Standing& standing);

}  // namespace host::tool
