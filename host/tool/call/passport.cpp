#include "tool/call/passport.h"

#include <utility>

#include "json/json.h"
#include "tool/call/sent_context.h"

namespace host::tool {
namespace {

std::string digested_attachments(const Passport& passport) {
  std::string out;
  if (!passport.given) return out;
  for (const Attachment& one : passport.given->attachments) {
    const bool is_uploaded = !one.file || !one.sha256.empty();
    if (!is_uploaded) continue;
    out += out.empty() ? "\n[[" : ",[";
    for (const std::string* part : {&one.id, &one.name, &one.content_type, &one.sha256}) {
      if (out.back() != '[') out += ',';
      json::write_string(*part, out);
    }
    out += ']';
  }
  return out.empty() ? out : out + "]";
}

}  // namespace

PassportPtr passport_of_nested(const Caller& outer, std::uint64_t number) {
  const Passport& above = *outer.passport;
  auto made = std::make_shared<Passport>();
  made->call = above.call + "." + std::to_string(number);
  made->origin = Origin::Plugin;
  made->who = above.who;
  made->who.credential = nullptr;
  made->connection = above.connection;
  made->trace = above.trace;
  made->given = above.given;
  made->sent = above.sent;
  made->caller = std::make_shared<const Caller>(outer);
  return made;
}

PassportPtr passport_of_post(const Passport& action, std::string_view post_tool) {
  auto made = std::make_shared<Passport>();
  made->call = action.call + ".";
  made->call += post_tool;
  made->origin = Origin::Host;
  made->who = action.who;
  made->who.credential = nullptr;
  made->connection = action.connection;
  made->trace = action.trace;
  made->given = action.given;
  made->sent = action.sent;
  made->caller = action.caller;  // which waits for it, with the units that it holds
  return made;
}

PassportPtr with_value(const Passport& passport, std::string_view name, const std::string& value) {
  auto given = std::make_shared<CallContext>();
  if (passport.given) *given = *passport.given;
  given->values.insert_or_assign(std::string(name), value);
  auto made = std::make_shared<Passport>(passport);
  made->given = std::move(given);
  return made;
}

PassportPtr with_attachments(const Passport& passport, std::vector<Attachment> attachments) {
  auto given = std::make_shared<CallContext>();
  if (passport.given) *given = *passport.given;
  given->attachments = std::move(attachments);
  auto made = std::make_shared<Passport>(passport);
  made->given = std::move(given);
  return made;
}

void give_context(Passport& passport, SentContext sent) {
  passport.given = sent;
  passport.sent = std::move(sent);
}

std::string digested_context(const Passport& passport) {
  const std::string context = text_of(passport.sent);
  return (context.empty() ? "" : "\n" + context) + digested_attachments(passport);
}

}  // namespace host::tool
