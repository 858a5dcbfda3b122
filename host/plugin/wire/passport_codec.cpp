#include "plugin/wire/passport_codec.h"

#include <map>
#include <string>
#include <utility>

namespace host::plugin {
namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

// Most calls have none of these parts.
constexpr std::uint32_t kMore = 1;   // agent, tracestate, baggage
constexpr std::uint32_t kGiven = 2;  // values and entries

std::uint32_t parts_of(const tool::Passport& passport) {
  const bool more = !passport.who.agent.empty() || !passport.trace.state.empty() ||
                    !passport.trace.baggage.empty();
  return (more ? kMore : 0) | (passport.given ? kGiven : 0);
}

std::size_t text_bytes(const Texts& texts) {
  std::size_t bytes = 4;
  for (const auto& [key, text] : texts) bytes += 8 + key.size() + text.size();
  return bytes;
}

void write_texts(BodyWriter& body, const Texts& texts) {
  body.u32(static_cast<std::uint32_t>(texts.size()));
  for (const auto& [key, text] : texts) body.text(key).text(text);
}

Texts read_texts(BodyReader& body) {
  Texts texts;
  for (std::uint32_t left = body.u32(); left > 0 && body.ok(); --left) {
    const std::string_view key = body.text();
    texts.emplace(key, body.text());
  }
  return texts;
}

}  // namespace

void write_passport(BodyWriter& body, const tool::Passport& passport) {
  const std::uint32_t parts = parts_of(passport);
  body.u32(parts).text(passport.call).text(passport.who.principal).text(passport.who.session);
  body.text(passport.trace.parent);
  if (parts & kMore) {
    body.text(passport.who.agent).text(passport.trace.state).text(passport.trace.baggage);
  }
  if (parts & kGiven) {
    write_texts(body, passport.given->values);
    write_texts(body, passport.given->entries);
  }
}

std::size_t passport_bytes(const tool::Passport& passport) {
  const std::uint32_t parts = parts_of(passport);
  std::size_t bytes = 20 + passport.call.size() + passport.who.principal.size() +
                      passport.who.session.size() + passport.trace.parent.size();
  if (parts & kMore) {
    bytes += 12 + passport.who.agent.size() + passport.trace.state.size() +
             passport.trace.baggage.size();
  }
  if (parts & kGiven) {
    bytes += text_bytes(passport.given->values) + text_bytes(passport.given->entries);
  }
  return bytes;
}

tool::PassportPtr read_passport(BodyReader& body) {
  auto passport = std::make_shared<tool::Passport>();
  const std::uint32_t parts = body.u32();
  passport->call = body.text();
  passport->who.principal = body.text();
  passport->who.session = body.text();
  passport->trace.parent = body.text();
  if (parts & kMore) {
    passport->who.agent = body.text();
    passport->trace.state = body.text();
    passport->trace.baggage = body.text();
  }
  if (parts & kGiven) {
    auto given = std::make_shared<tool::CallContext>();
    given->values = read_texts(body);
    given->entries = read_texts(body);
    passport->given = std::move(given);
  }
  return passport;
}

}  // namespace host::plugin
