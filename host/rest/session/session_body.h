// Reads the bodies of POST and PATCH /v1/sessions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "rest/wire/body.h"
#include "session/client_tools.h"
#include "session/session.h"

namespace host::rest {

struct SessionLimits {
  session::ToolLimits tools;
  std::uint32_t bytes = 256u << 10u;  // limit on the stored data of one session
};

struct SessionBody {
  std::string agent;                     // the agent that a POST names; empty: none
  std::optional<std::uint64_t> version;  // the expected version, only in a PATCH
  session::Settings settings;
  std::shared_ptr<const session::ClientTools> compiled;  // settings.tools, compiled; null: no tools
};

// Returns the size limit for the body of an HTTP request. The size limit is higher than the limit
// of stored bytes, because a body can have spaces and line breaks.
constexpr std::size_t most_body_bytes(const SessionLimits& limits) {
  return 2 * std::size_t{limits.bytes} + (16u << 10u);
}

// Any thread can run the two functions below. The functions can take long, because they compile the
// schemas of tools.
//
// Reads the body of a POST of a session. If a member of the body is absent or null, its setting
// stays unset.
Result<SessionBody> read_new_session(const transport::HttpRequest& http,
                                     const SessionLimits& limits);
// Reads the body of a PATCH of a session. If a member of the body is absent, its setting keeps the
// value from `before`. If a member of the body is null, its setting gets the default.
Result<SessionBody> read_session_change(const transport::HttpRequest& http,
                                        const session::Settings& before,
                                        const SessionLimits& limits);

}  // namespace host::rest
