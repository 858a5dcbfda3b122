// Who makes a call, where the call comes from, and which values and files were sent with it.
//
// Each call has one passport, made where the call enters the host. A passport is immutable. The
// call, its invocations and the code of an inline plugin share it. A worker gets the part that a
// plugin may read (plugin/wire/passport_codec.h). Calls that follow from a call have their own
// passports, which the functions below make.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "tool/call/call_context.h"
#include "tool/call/peer.h"
#include "tool/call/trace.h"

namespace host::tool {

class Tool;
struct Passport;

// Who makes the call. Plugin: a nested call, which can use internal tools and all tools that its
// client sees.
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
  std::string connection;  // a session or connection, for fair turns between waiting calls
  std::string remote;      // the address that it came from; empty: not over HTTP
  Trace trace;
  std::shared_ptr<const CallContext> given;  // the context sent with the call; null: none
  std::shared_ptr<const Caller> caller;      // the outer call; null: this call is not nested
};

using PassportPtr = std::shared_ptr<const Passport>;

// Of a call that has no passport yet: a client without a key, without an id.
inline const PassportPtr& unnamed_passport() {
  static const PassportPtr kUnnamed = std::make_shared<const Passport>();
  return kUnnamed;
}

// For nested call number `number` of a tool. Only the outermost call has the credential and the
// address. When the outermost call ends, its nested calls end.
PassportPtr passport_of_nested(const Caller& outer, std::uint64_t number);
// For the post_ tool that the host runs after a call.
PassportPtr passport_of_post(const Passport& action, std::string_view post_tool);
// The same call, with a value that the host sends along.
PassportPtr with_value(const Passport& passport, std::string_view name, const std::string& value);

// The same call, with these attachments and no others.
PassportPtr with_attachments(const Passport& passport, std::vector<Attachment> attachments);

// The part of a call's digest that covers its attachments: ids, names and types, and the contents
// of files that the host has read. Empty: the call has no attachment that a client uploaded.
std::string digested_attachments(const Passport& passport);

}  // namespace host::tool
