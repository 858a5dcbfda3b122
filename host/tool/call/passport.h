// A passport says who makes a call, where the call comes from, and which values and files were sent
// with the call.
//
// Each call has one passport, which the host makes where the call enters the host. A passport is
// immutable. The call, its invocations and the code of an inline plugin share the passport. A
// worker process gets the part of the passport that a plugin may read
// (plugin/wire/passport_codec.h). Nested calls and post_ tools have passports of their own, which
// the functions below make from the passport of the outer call.
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

// The enumeration Origin says which party makes the call. Origin::Plugin means that a plugin's tool
// makes a nested call. A nested call can use internal tools, and all tools that the client of the
// outer call sees.
enum class Origin { Peer, Host, Admin, Plugin };

// kMostNested is the maximum number of calls that can be nested in each other, including the
// outermost call.
constexpr std::uint32_t kMostNested = 8;

// A Caller contains the data that a nested call needs about its outer call.
struct Caller {
  std::shared_ptr<const Passport> passport;  // the outer call's passport
  std::shared_ptr<const Tool> tool;
  SteadyTime deadline{};    // {}: the call has no deadline
  std::uint32_t depth = 1;  // depth of nesting; 1: a client made the call
};

struct Passport {
  std::string call;  // identifies the call in logs and audit
  Origin origin = Origin::Peer;
  Peer who;
  std::string connection;  // the session or connection; in a queue, sessions take turns
  std::string remote;      // the client's address; empty: the call did not come over HTTP
  Trace trace;
  std::shared_ptr<const CallContext> given;  // the context that the plugin gets; null: no context
  // `sent` is the part of `given` that the client sent with this call. The call's approval and
  // idempotency key apply only to a call with the same context.
  SentContext sent;
  std::shared_ptr<const Caller> caller;  // the outer call; null: the call is not nested
};

using PassportPtr = std::shared_ptr<const Passport>;

// Returns the default passport, for calls that have no passport of their own yet. The passport of
// unnamed_passport() names a client without a key, and has no call id.
inline const PassportPtr& unnamed_passport() {
  static const PassportPtr kUnnamed = std::make_shared<const Passport>();
  return kUnnamed;
}

// Returns the passport of a nested call. `number` distinguishes the nested calls of one outer call.
// Only the passport of the outermost call contains the credential and the address. If the
// credential becomes invalid, the host ends the outermost call, and the nested calls with it.
PassportPtr passport_of_nested(const Caller& outer, std::uint64_t number);
// Returns the passport of the post_ tool that the host runs after a call. The post_ tool of a
// nested call is nested in the same outer call.
PassportPtr passport_of_post(const Passport& action, std::string_view post_tool);
// Returns a copy of the passport with one more value, which the host sends to the tool.
PassportPtr with_value(const Passport& passport, std::string_view name, const std::string& value);

// Returns a copy of the passport with `attachments` instead of the passport's own attachments.
PassportPtr with_attachments(const Passport& passport, std::vector<Attachment> attachments);

// Stores in `passport` the context that the client sent with the call. `sent` can be null.
void give_context(Passport& passport, SentContext sent);

// Returns the part of a call's digest that covers everything but the arguments. The digest covers
// the call's context, the attachments' ids, names and types, and the contents of files that the
// host has read. The returned text is empty if the client sent no context and no uploaded file.
std::string digested_context(const Passport& passport);

}  // namespace host::tool
