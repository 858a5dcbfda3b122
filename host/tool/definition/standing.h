// Computes which claims of a tool about its own calls the host accepts, because the operator trusts
// the tool. The permission engine, the choice of workers and every listing use only the accepted
// claims of a tool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/trust.h"
#include "tool/definition/provider_identity.h"

namespace host::tool {

struct Declaration;

// The enumeration Reads says which calls of a tool only read, and so run without approval.
enum class Reads : std::uint8_t {
  Never,      // every call may change something
  ByCheck,    // calls that the tool's check_read_only declares to be read-only
  ByCommand,  // calls whose command the host judges to be read-only
  Always,
};

// The enumeration OwnYes says which calls need no approval because the tool itself allows them.
enum class OwnYes : std::uint8_t {
  Never,
  ByCheck,       // calls that the tool's check_permissions allows
  NotInExplore,  // all calls, except in explore mode: tools of a session's client, and todo_write
  Always,        // all calls, for the host's other tools
};

struct Standing {
  config::Trust trust = config::Trust::None;
  Reads reads = Reads::Never;
  OwnYes own_yes = OwnYes::Never;
  // The tool's function match_rule says whether a rule matches a call. If `own_match` is true, the
  // host relies on every result of match_rule. If `own_match` is false, the host ignores results
  // that would permit the call: "an allow rule matches", and "a deny or ask rule does not match".
  bool own_match = false;
};

Standing standing_of(const Declaration& declared, ProviderIdentity::Kind kind);

// The functions below return the words that `toolpost tools`, REST and `plugin check` print.
std::string_view to_string(Reads reads);          // never, by_check, by_command or always
std::string_view to_string(OwnYes own_yes);       // never, by_check, not_in_explore or always
std::string_view to_string(config::Trust trust);  // full, read_only or none

// Returns a JSON object like {"trust": "full", "reads_only": "always", "allows_itself": "never"}
std::string as_json(const Standing& standing);

// Returns one line for users, like "trust: full; reads only: always; allows itself: never".
std::string describe(const Standing& standing);

}  // namespace host::tool
