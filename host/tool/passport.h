// Who makes a call, from where, and what was sent along with it.
//
// Each call has one passport, made where the call enters the host. Nothing changes a passport. It
// is shared by the call, its invocations and, inline, the plugin's side of them; a worker gets the
// part of it that a plugin may read (plugin/wire/passport_codec.h). Calls that follow from a call
// have passports of their own, made by the functions below.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "tool/call_context.h"
#include "tool/peer.h"
#include "tool/trace.h"

namespace host::tool {

class Tool;
struct Passport;

// Who makes the call. Plugin: a nested call, which can use the tools that its client sees and
// internal ones.
enum class Origin { Peer, Host, Admin, Plugin };

// The deepest nesting of calls, including the outermost.
constexpr std::uint32_t kMostNested = 8;

// What a nested call needs to know about its outer call.
struct Caller {
  std::shared_ptr<const Passport> passport;  // of the outer call, which may be nested itself
  std::shared_ptr<const Tool> tool;
  SteadyTime deadline{};    // time_point{}: no deadline
  std::uint32_t depth = 1;  // 1: made by a client
};

struct Passport {
  std::string call;  // identifies the call in logs and audit
  Origin origin = Origin::Peer;
  Peer who;
  std::string connection;  // whose turn it is when many wait: a session or a connection
  std::string remote;      // the address that it came from; empty: not over HTTP
  Trace trace;
  std::shared_ptr<const CallContext> given;  // sent along with the call; null: nothing
  std::shared_ptr<const Caller> caller;      // the outer call; null: this call is not nested
};

using PassportPtr = std::shared_ptr<const Passport>;

// Of a call that has no passport yet: a client without a key, without an id.
inline const PassportPtr& unnamed_passport() {
  static const PassportPtr kUnnamed = std::make_shared<const Passport>();
  return kUnnamed;
}

// For call number `number` that a tool makes while it serves a call. The credential and the address
// stay with the outermost call: when that ends, its nested calls end.
PassportPtr passport_of_nested(const Caller& outer, std::uint64_t number);
// For the post_ tool that the host runs after a call.
PassportPtr passport_of_post(const Passport& action, std::string_view post_tool);
// The same call, with a value that the host sends along.
PassportPtr with_value(const Passport& passport, std::string_view name, const std::string& value);

// The same call, with these attachments and no others.
PassportPtr with_attachments(const Passport& passport, std::vector<Attachment> attachments);

// What the digests of a call count of its attachments, in addition to its arguments: ids, names and
// types, and of files that the host has read the contents. Empty: there are none that a client
// uploaded.
std::string digested_attachments(const Passport& passport);

}  // namespace host::tool
