#include "rest/session/sessions.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <utility>

#include "base/on_executor.h"
#include "json/fault.h"
#include "json/object_text.h"
#include "permission/rule/rule.h"
#include "rest/route/named_webhooks.h"
#include "rest/route/session_access.h"
#include "rest/wire/parameters.h"
#include "router/view/session_bounds.h"
#include "session/sessions.h"
#include "session/stored.h"
#include "tool/definition/definition.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

using session::Session;
using session::SessionPtr;

constexpr std::uint32_t kMostSessionsListed = 1000;
constexpr std::uint32_t kSessionsListed = 100;

enum class Private { Shown, Hidden };  // what only the session's own principal sees

std::string tag_of(const Session& session) {
  return "\"" + std::to_string(session.version) + "\"";
}

transport::Headers headers_of(const Session& session) {
  return {{"ETag", tag_of(session)}};
}

void add_names(std::string& out, std::string_view key, const session::Names& names) {
  if (names) json::add_member(out, key, json::list_of(*names));
}

// As clients define tools, with the members that the host adds.
std::string tools_json(const session::ClientTools& own) {
  std::string out = "{";
  for (const auto& tool : own.tools)
    json::add_member(out, tool->name(), tool::definition_of(*tool));
  return out + "}";
}

std::string customizations_json(const Services& services, const Session& session) {
  std::string extensions = "{";
  if (const auto own = services.tool_sets.of(session.settings.tools))
    json::add_member(extensions, "tools", tools_json(*own));
  add_names(extensions, "mcpProviders", session.settings.mcp_providers);
  std::string out = "{";
  if (!session.agent.empty()) json::add_text(out, "agentId", session.agent);
  json::add_member(out, "extensions", extensions + "}");
  return out + "}";
}

std::string summary_json(const Services& services, const Session& session) {
  const session::Sessions& sessions = *services.sessions;
  std::string out = "{";
  json::add_text(out, "id", session.id);
  json::add_text(out, "principal", session.principal);
  if (!session.agent.empty()) json::add_text(out, "agent", session.agent);
  json::add_member(out, "version", std::to_string(session.version));
  json::add_text(out, "made_by", session.of_client ? "mcp" : "rest");
  json::add_text(out, "created", to_rfc3339(session.created));
  json::add_text(out, "used", to_rfc3339(sessions.used(session.id)));
  if (const auto expires = sessions.expires(session.id))
    json::add_text(out, "expires", to_rfc3339(*expires));
  return out;
}

std::string session_json(const Services& services, const Session& session, Private rest) {
  std::string out = summary_json(services, session);
  const session::Settings& settings = session.settings;
  if (settings.mode) json::add_text(out, "mode", permission::to_string(*settings.mode));
  add_names(out, "workingDirectories", settings.working_dirs);
  add_names(out, "groups", settings.groups);
  add_names(out, "webhooks", settings.webhooks);
  json::add_member(out, "customizations", customizations_json(services, session));
  if (rest == Private::Hidden) return out + "}";
  if (settings.context) json::add_member(out, "context", session::text_of(*settings.context));
  if (settings.todos) json::add_member(out, "todos", session::text_of(*settings.todos));
  if (settings.presets) json::add_member(out, "presets", *settings.presets);
  return out + "}";
}

bool is_admin(const Asked& asked) {
  return asked.visitor.principal.scopes.has(Scope::Admin);
}

// The version that a change expects: of If-Match, or of the body. nullopt: of neither, or If-Match
// is no version of ours, which cannot match.
std::optional<std::uint64_t> expected_version(const Asked& asked, const SessionBody& body,
                                              std::uint64_t now) {
  std::string_view tag = asked.http().header("If-Match");
  if (!tag.data()) return body.version;
  if (tag == "*") return body.version.value_or(now);
  if (tag.size() < 3 || tag.front() != '"' || tag.back() != '"') return 0;
  tag = tag.substr(1, tag.size() - 2);
  std::uint64_t version = 0;
  const auto [end, fault] = std::from_chars(tag.data(), tag.data() + tag.size(), version);
  const bool whole = fault == std::errc() && end == tag.data() + tag.size();
  const bool same = !body.version || *body.version == version;
  return whole && same ? version : 0;
}

// Too many of this principal's own are 429.
void refuse(const Services& services, const Asked& asked, const Error& why) {
  const bool own = services.sessions->is_full_for(asked.visitor.principal.name);
  if (why.kind != ErrorKind::Unavailable) return transport::answer_error(asked.exchange, why);
  using transport::Problem;
  transport::answer_error(asked.exchange, own ? Problem::LimitReached : Problem::Unavailable,
                          why.message, {{"Retry-After", "60"}});
}

// `limit`: gets the name of the limit that refused the body.
SessionLimits limits_of(const Services& services, std::string& limit) {
  const config::Limits& limits = services.config.limits;
  return {{limits.session_tools, limits.session_tool_bytes,
           [&limit](std::string_view name) { limit = name; }},
          limits.session_bytes};
}

}  // namespace

// Whose turn it is, for each principal.
class SessionRoutes::Turns {
 public:
  // Held while a body is read.
  class Turn {
   public:
    Turn(std::shared_ptr<Turns> turns, std::string principal)
        : turns_(std::move(turns)), principal_(std::move(principal)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { turns_->end(principal_); }

   private:
    const std::shared_ptr<Turns> turns_;
    const std::string principal_;
  };

  static awaitable<std::unique_ptr<Turn>> take(std::shared_ptr<Turns> turns,
                                               boost::asio::any_io_executor io,
                                               std::string principal) {
    const auto [queue, first] = turns->queues_.try_emplace(principal);
    if (!first) {
      const auto turn = std::make_shared<boost::asio::steady_timer>(
          io, boost::asio::steady_timer::time_point::max());
      queue->second.push_back(turn);
      boost::system::error_code ignored;
      co_await turn->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    co_return std::make_unique<Turn>(turns, std::move(principal));
  }

 private:
  void end(const std::string& principal) {
    const auto queue = queues_.find(principal);
    if (queue == queues_.end()) return;
    if (queue->second.empty()) {
      queues_.erase(queue);
      return;
    }
    const auto next = std::move(queue->second.front());
    queue->second.pop_front();
    next->cancel();
  }

  // Those that wait. A principal has a queue while a body of its own is read.
  std::map<std::string, std::deque<std::shared_ptr<boost::asio::steady_timer>>> queues_;
};

awaitable<Result<SessionBody>> SessionRoutes::read(const Asked& asked, ReadBody body) {
  if (!reader_) reader_.emplace(1);
  if (!turns_) turns_ = std::make_shared<Turns>();
  const auto turn = co_await Turns::take(turns_, services_.io, asked.visitor.principal.name);
  const auto limit = std::make_shared<std::string>();
  std::function<Result<SessionBody>()> work = [limit, body = std::move(body), this] {
    return body(limits_of(services_, *limit));
  };
  auto read = co_await on_executor<Result<SessionBody>>(reader_->get_executor(), std::move(work));
  if (!limit->empty() && services_.on_refusal) services_.on_refusal(*limit);
  if (read && read->compiled)
    services_.tool_sets.keep(read->settings.tools, std::move(read->compiled));
  co_return read;
}

void SessionRoutes::note(const Asked& asked, const Session& session, std::string_view outcome) {
  services_.audit.note(store::AuditEvent::Session, {{"id", session.id},
                                                    {"principal", session.principal},
                                                    {"agent", session.agent},
                                                    {"by", way_of(asked)},
                                                    {"outcome", std::string(outcome)}});
}

awaitable<void> SessionRoutes::list(const Asked& asked) {
  const auto given = read_parameters(asked.http().query(), {"principal", "after", "limit"});
  if (!given) co_return transport::answer_error(asked.exchange, given.error());
  const auto limit = read_limit(*given, kMostSessionsListed, kSessionsListed);
  if (!limit) co_return transport::answer_error(asked.exchange, limit.error());
  if (answers_head(asked)) co_return;
  const auto text = [&](std::string_view name) {
    const auto at = given->find(name);
    return at == given->end() ? std::string() : at->second;
  };
  const bool admin = is_admin(asked);
  const std::string principal = admin ? text("principal") : asked.visitor.principal.name;
  const auto found = services_.sessions->list(principal, text("after"), *limit + 1u);
  std::string out = "{\"sessions\":[";
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), *limit); ++i) {
    if (!admin && !may_act_as(services_, asked.visitor, found[i]->agent)) continue;
    if (out.back() != '[') out += ',';
    out += summary_json(services_, *found[i]) + "}";
  }
  out += "]";
  if (found.size() > *limit) json::add_text(out, "next", found[*limit - 1]->id);
  transport::answer_json(asked.exchange, 200, out + "}");
}

awaitable<void> SessionRoutes::create(const Asked& asked) {
  ReadBody reading = [&asked](const SessionLimits& limits) {
    return read_new_session(asked.http(), limits);
  };
  auto body = co_await read(asked, std::move(reading));
  if (!body) co_return transport::answer_error(asked.exchange, body.error());
  session::Sessions::Wanted wanted;
  wanted.principal = asked.visitor.principal.name;
  wanted.agent = body->agent.empty() ? asked.visitor.agent : body->agent;
  const bool known = wanted.agent.empty() || config::agent(services_.config, wanted.agent);
  if (!known || !may_act_as(services_, asked.visitor, wanted.agent)) {
    co_return transport::answer_error(
        asked.exchange, json::fault_at("/customizations/agentId",
                                       "this key cannot act as an agent of this name: add "
                                       "[agent.NAME] to the configuration, or use its key"));
  }
  const auto allowed = services_.session_bounds.check(body->settings, wanted.agent);
  if (!allowed) co_return transport::answer_error(asked.exchange, allowed.error());
  if (const auto known_hooks = check_webhooks(services_, wanted.principal, body->settings.webhooks);
      !known_hooks) {
    co_return transport::answer_error(asked.exchange, known_hooks.error());
  }
  wanted.settings = std::move(body->settings);
  const auto made = co_await services_.sessions->create(std::move(wanted));
  if (!made) co_return refuse(services_, asked, made.error());
  note(asked, **made, "created");
  services_.events->changed("sessions");
  transport::Headers headers = headers_of(**made);
  headers.emplace_back("Location", "/v1/sessions/" + (*made)->id);
  transport::answer_json(asked.exchange, 201, session_json(services_, **made, Private::Shown),
                         std::move(headers));
}

awaitable<void> SessionRoutes::show(const Asked& asked) {
  if (const SessionPtr own = own_session(services_, asked, asked.id())) {
    co_return transport::answer_json(
        asked.exchange, 200, session_json(services_, *own, Private::Shown), headers_of(*own));
  }
  const SessionPtr other = is_admin(asked) ? services_.sessions->find(asked.id()) : nullptr;
  if (!other) co_return no_session(asked);
  transport::answer_json(asked.exchange, 200, session_json(services_, *other, Private::Hidden),
                         headers_of(*other));
}

awaitable<Result<SessionBody>> SessionRoutes::read_change(const Asked& asked, SessionPtr& own) {
  const ReadBody reading = [&asked, &own](const SessionLimits& limits) {
    return read_session_change(asked.http(), own->settings, limits);
  };
  auto body = co_await read(asked, reading);
  if (!body) co_return body.error();
  const std::uint64_t expected = expected_version(asked, *body, own->version).value_or(0);
  if (expected <= own->version) co_return body;
  // A host with the same store may have made this version a moment ago.
  HOST_CO_TRY_ASSIGN(const SessionPtr newest, co_await services_.sessions->newest(own->id));
  if (!newest || newest->version != expected) co_return body;
  own = newest;
  body = co_await read(asked, reading);
  co_return body;
}

awaitable<void> SessionRoutes::change(const Asked& asked) {
  SessionPtr own = own_session(services_, asked, asked.id());
  if (!own) co_return no_session(asked);
  auto body = co_await read_change(asked, own);
  if (!body) co_return transport::answer_error(asked.exchange, body.error());
  const std::uint64_t read_at = own->version;  // the change was merged with this one
  const auto expected = expected_version(asked, *body, read_at);
  if (!expected) {
    co_return transport::answer_error(
        asked.exchange, transport::Problem::VersionMissing,
        "say which version you change: If-Match with the ETag of the session, or \"version\"");
  }
  const auto clash = [&asked](const Session& now) {
    transport::answer_error(asked.exchange, transport::Problem::VersionMismatch,
                            "the session has the version " + std::to_string(now.version) +
                                ": read it again, and repeat your change",
                            headers_of(now));
  };
  own = own_session(services_, asked, asked.id());  // it may have changed or ended meanwhile
  if (!own) co_return no_session(asked);
  if (*expected != own->version || read_at != own->version) co_return clash(*own);
  const auto allowed = services_.session_bounds.check(body->settings, own->agent, &own->settings);
  if (!allowed) co_return transport::answer_error(asked.exchange, allowed.error());
  // Those that it names already may have been removed since.
  const bool names_others = body->settings.webhooks != own->settings.webhooks;
  if (const auto known_hooks = check_webhooks(services_, own->principal, body->settings.webhooks);
      names_others && !known_hooks) {
    co_return transport::answer_error(asked.exchange, known_hooks.error());
  }
  const auto changed =
      co_await services_.sessions->change(own->id, *expected, std::move(body->settings));
  if (!changed) co_return transport::answer_error(asked.exchange, changed.error());
  if (!changed->session) co_return no_session(asked);
  if (changed->clash) co_return clash(*changed->session);
  note(asked, *changed->session, "changed");
  transport::answer_json(asked.exchange, 200,
                         session_json(services_, *changed->session, Private::Shown),
                         headers_of(*changed->session));
}

awaitable<void> SessionRoutes::end(const Asked& asked) {
  SessionPtr session = own_session(services_, asked, asked.id());
  if (!session && is_admin(asked)) session = services_.sessions->find(asked.id());
  if (!session) co_return no_session(asked);
  const auto ended = co_await services_.sessions->end(session->id);
  if (!ended) co_return transport::answer_error(asked.exchange, ended.error());
  if (*ended) note(asked, *session, "ended");
  asked.exchange.respond(204, {}, {}, {});
}

}  // namespace host::rest
