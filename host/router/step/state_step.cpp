#include "router/step/state_step.h"

#include <memory>
#include <string>
#include <utility>

#include "base/text/encoding.h"
#include "json/object_text.h"
#include "tool/definition/tool.h"

namespace host::router {
namespace {

// Of what a plugin keeps for a session. It reads the rest itself, with tp.kv/1.
constexpr std::uint32_t kMostKept = 100;
constexpr std::size_t kMostKeptBytes = 64u << 10u;  // of keys and values

}  // namespace

session::SessionPtr StateStep::session_of(const tool::Call& call) const {
  const tool::Peer& who = call.passport->who;
  if (!sessions_ || who.session.empty()) return nullptr;
  return sessions_->find(who.session, who.principal);
}

std::optional<tool::CallResult> StateStep::refusal(tool::Call& call,
                                                   const tool::Route& route) const {
  if (!route.tool->declared().state_injected || session_of(call)) return std::nullopt;
  call.outcome = "no_session";
  return tool::CallResult::error("\"" + call.name +
                                 "\" works with the state of a session, and this call belongs to "
                                 "no session. Create one with POST /v1/sessions and call through "
                                 "its endpoint.");
}

boost::asio::awaitable<void> StateStep::inject(tool::Call& call, const tool::Route& route) const {
  if (!session_of(call)) co_return;  // it ended while the call waited: the entry is absent
  const Kept kept = co_await kept_by(route, call.passport->who.session);
  const session::SessionPtr session = session_of(call);
  if (!session) co_return;
  const PermissionStep::Standing standing = permission_.standing(call, route);
  std::string state = "{";
  json::add_member(state, "version", std::to_string(session->version));
  json::add_text(state, "mode", standing.mode);
  json::add_member(state, "groups", json::list_of(router_.active_groups(call.passport->who)));
  json::add_member(state, "working_dirs", json::list_of(standing.working_dirs));
  json::add_member(state, "todos",
                   session->settings.todos ? session::text_of(*session->settings.todos) : "[]");
  json::add_member(state, "kv", kept.json);
  json::add_bool(state, "kv_more", kept.more);
  auto given = std::make_shared<tool::CallContext>();
  if (call.passport->given) *given = *call.passport->given;
  given->entries.insert_or_assign(kSessionState, state + "}");
  auto made = std::make_shared<tool::Passport>(*call.passport);
  made->given = std::move(given);
  call.passport = std::move(made);
}

// If the store fails, the state says that there may be more, and the plugin reads it itself.
boost::asio::awaitable<StateStep::Kept> StateStep::kept_by(const tool::Route& route,
                                                           const std::string& session) const {
  const tool::ProviderIdentity& identity = route.provider->identity();
  if (!desk_ || !identity.is_plugin()) co_return Kept{};
  store::Desk::Act<Kept> act = [space = store::KvSpace{identity.name, session}](
                                   store::Store& store) { return read_kept(store.kv(), space); };
  auto kept = co_await desk_->ask<Kept>(std::move(act));
  if (kept) co_return *std::move(kept);
  co_return Kept{"[]", true};
}

Result<StateStep::Kept> StateStep::read_kept(store::KvStore& store, const store::KvSpace& space) {
  HOST_TRY_ASSIGN(const store::KvPage page, store.list(space, {}, {}, kMostKept));
  Kept kept;
  kept.more = page.more;
  std::size_t bytes = 0;
  std::string entries;
  for (const store::KvKey& key : page.keys) {
    if (bytes + key.key.size() + key.bytes > kMostKeptBytes) {
      kept.more = true;
      continue;
    }
    HOST_TRY_ASSIGN(const store::KvValue value, store.get(space, key.key));
    if (value.version == store::kNoVersion) continue;  // removed meanwhile
    if (!is_utf8(value.bytes)) {
      kept.more = true;
      continue;
    }
    bytes += key.key.size() + value.bytes.size();
    if (!entries.empty()) entries += ',';
    entries += '{';
    json::add_text(entries, "key", key.key);
    json::add_text(entries, "value", value.bytes);
    json::add_member(entries, "version", std::to_string(value.version));
    entries += '}';
  }
  kept.json = "[" + entries + "]";
  return kept;
}

}  // namespace host::router
