#include "rest/call/request_routes.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "json/canonical.h"
#include "json/fault.h"
#include "json/object_text.h"
#include "json/own_text.h"
#include "rest/route/named_webhooks.h"
#include "rest/route/session_access.h"
#include "rest/wire/parameters.h"
#include "rest/wire/record_json.h"
#include "rest/wire/request_body.h"
#include "rest/wire/request_key.h"
#include "router/toolkit/find_tools.h"
#include "session/sessions.h"
#include "task/detached.h"
#include "task/outcome.h"
#include "tool/definition/tool.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

using task::Leases;
using task::RecordPtr;

constexpr std::uint32_t kMostRequestsListed = 1000;
constexpr std::uint32_t kRequestsListed = 100;
constexpr std::size_t kMostListBytes = 1u << 20u;  // then the page ends
constexpr std::uint64_t kLongestWait = 60;         // seconds
// Stands in paths for the session of calls that have none: external tools, called over MCP.
constexpr std::string_view kNoSession = "-";

void no_request(const Asked& asked) {
  transport::answer_error(asked.exchange, transport::Problem::NotFound,
                          "there is no such call in this session: it is unknown or was deleted");
}

void conflict(const Asked& asked, std::string_view why) {
  transport::answer_error(asked.exchange, transport::Problem::Conflict, why);
}

// What a call over MCP says of a tool that is in an inactive group. Empty: it is in none.
std::string why_inactive(const router::Router& router, const tool::Peer& who,
                         const std::string& tool) {
  auto passport = std::make_shared<tool::Passport>();
  passport->who = who;
  tool::Call call;
  call.passport = std::move(passport);
  call.name = tool;
  const auto inactive = router.in_inactive_group(call);
  if (!inactive) return {};
  const auto block = json::parse_own(inactive->content);
  return block ? std::string(json::find_text(block->root(), "text")) : std::string();
}

// The holder of a lease: who sent the request.
std::string holder_of(const identity::Visitor& visitor) {
  if (!visitor.key.empty()) return "key:" + visitor.key;
  if (!visitor.login.empty()) return "login:" + visitor.login;
  return "principal:" + visitor.principal.name;
}

Leases::Worker worker_of(const Asked& asked, CallerName caller) {
  return {holder_of(asked.visitor), std::move(caller.worker), caller.lease, way_of(asked)};
}

struct Filter {
  std::optional<tool::RecordState> state;
  std::string tool;
  std::string after;
  std::uint32_t limit = kRequestsListed;

  bool fits(const tool::Record& record) const {
    return (!state || record.state == *state) && (tool.empty() || record.tool == tool);
  }
};

Result<Filter> read_filter(std::string_view query) {
  HOST_TRY_ASSIGN(const Parameters given,
                  read_parameters(query, {"state", "tool", "after", "limit"}));
  const auto text = [&given](std::string_view name) {
    const auto at = given.find(name);
    return at == given.end() ? std::string() : at->second;
  };
  Filter filter;
  if (const std::string state = text("state"); !state.empty()) {
    filter.state = tool::record_state_from(state);
    if (!filter.state) {
      return Error{ErrorKind::InvalidArgument,
                   "state: must be PENDING, PROCESSING, COMPLETE or ERROR"};
    }
  }
  filter.tool = text("tool");
  filter.after = text("after");
  HOST_TRY_ASSIGN(filter.limit, read_limit(given, kMostRequestsListed, kRequestsListed));
  return filter;
}

// The session's records after `after`. nullopt: that one is gone.
std::optional<std::vector<RecordPtr>> records_of(const Services& services,
                                                 const session::Session& session,
                                                 const std::string& after) {
  std::vector<RecordPtr> records = services.records.of(session.principal);
  std::erase_if(records, [&session](const RecordPtr& record) {
    return record->session != session.id || record->made_by == tool::MadeBy::TaskClient;
  });
  if (after.empty()) return records;
  const auto at = std::find_if(records.begin(), records.end(),
                               [&after](const RecordPtr& record) { return record->id == after; });
  if (at == records.end()) return std::nullopt;
  records.erase(records.begin(), at + 1);
  return records;
}

// As it is now, or as it was if it has ended and others needed its room.
RecordPtr now_of(const Services& services, const RecordPtr& record) {
  RecordPtr now = services.records.find(record->id);
  return now ? now : record;
}

// The arguments of the tool to which the record's key belongs.
std::string keyed_arguments_of(const tool::Record& record) {
  if (record.key_tool == record.tool) return record.arguments;
  return inner_call_in(record.arguments).arguments;
}

bool same_arguments(const std::string& left, const std::string& right) {
  const auto one = json::parse_own(left);
  const auto other = json::parse_own(right);
  return one && other && json::canonical(one->root()) == json::canonical(other->root());
}

// Why a call with the same key is not this one again; empty: it is. A key is of a principal and a
// tool, and a record is of a session. `arguments` are those of the tool.
std::string clash_with(const tool::Record& earlier, const session::Session& session,
                       const std::string& arguments, const std::string& context) {
  if (earlier.session != session.id) {
    return "was used in session " + earlier.session + ", for the call " + earlier.id +
           ". Read that call there, or use a new key.";
  }
  if (!same_arguments(keyed_arguments_of(earlier), arguments)) {
    return "was used for a call of this tool with other arguments. Repeat that call as it was, or "
           "use a new key.";
  }
  if (earlier.context == context) return {};
  return "was used for a call of this tool with another context. Repeat that call as it was, or "
         "use a new key.";
}

}  // namespace

bool RequestRoutes::owns(const Asked& asked, const tool::Record& record) const {
  const identity::Visitor& visitor = asked.visitor;
  if (!visitor.principal.scopes.has(Scope::Call)) return false;
  if (!record.session.empty()) return own_session(services_, asked, record.session) != nullptr;
  return record.principal == visitor.principal.name && may_act_as(services_, visitor, record.agent);
}

// A call without a session has its owner alone. A reviewer may read and answer calls that are
// executed outside the host.
RecordPtr RequestRoutes::find(const Asked& asked, For whom) const {
  RecordPtr record = services_.records.find(asked.ids[1]);
  const std::string_view session = asked.id() == kNoSession ? std::string_view() : asked.id();
  if (!record || record->session != session || record->made_by == tool::MadeBy::TaskClient)
    return nullptr;
  if (owns(asked, *record)) return record;
  const identity::Scopes& scopes = asked.visitor.principal.scopes;
  const bool reviewed = whom == For::OwnerOrReviewer && scopes.has(Scope::Approve) &&
                        record->executes == tool::Executes::Caller;
  return reviewed ? record : nullptr;
}

awaitable<void> RequestRoutes::list(const Asked& asked) {
  const auto session = own_session(services_, asked, asked.id());
  if (!session) co_return no_session(asked);
  const auto filter = read_filter(asked.http().query());
  if (!filter) co_return transport::answer_error(asked.exchange, filter.error());
  if (answers_head(asked)) co_return;
  const auto records = records_of(services_, *session, filter->after);
  if (!records) {
    co_return transport::answer_error(
        asked.exchange,
        Error{ErrorKind::InvalidArgument,
              "after: this call was deleted. Read the list again from its beginning."});
  }
  std::string out = R"({"requests":[)";
  std::uint32_t listed = 0;
  std::string last;
  std::string next;
  for (const RecordPtr& record : *records) {
    if (!filter->fits(*record)) continue;
    if (listed == filter->limit || out.size() > kMostListBytes) {
      next = last;
      break;
    }
    if (listed++ > 0) out += ',';
    out += record_json(*record, services_.records.last_beat(record->id), Results::LeftOut);
    last = record->id;
  }
  out += "]";
  if (!next.empty()) json::add_text(out, "next", next);
  transport::answer_json(asked.exchange, 200, out + "}");
}

awaitable<void> RequestRoutes::create(const Asked& asked) {
  const auto session = own_session(services_, asked, asked.id());
  if (!session) co_return no_session(asked);
  const bool may_send_context = asked.visitor.principal.scopes.has(Scope::Context);
  auto body = read_request_body(asked.http(), may_send_context);
  if (!body) co_return transport::answer_error(asked.exchange, body.error());
  task::Detached::New made;
  made.who = {session->principal, session->agent, session->id};
  const auto route = services_.router.resolve(made.who, body->tool);
  if (!route) {
    if (const std::string why = why_inactive(services_.router, made.who, body->tool); !why.empty())
      co_return transport::answer_error(asked.exchange, transport::Problem::Conflict, why);
    const Error unknown = router::unknown_tool(body->tool, "GET /v1/tools lists the tools");
    co_return transport::answer_error(asked.exchange, json::fault_at("/name", unknown.message));
  }
  if (const auto hooks = check_webhooks(services_, session->principal, body->webhooks); !hooks)
    co_return transport::answer_error(asked.exchange, hooks.error());
  // The key of a call of call_tool belongs to the tool that it calls.
  std::optional<router::Route> inner;
  if (router::is_call_tool(*route)) {
    auto found = services_.router.resolve(made.who, inner_call_in(body->arguments).tool);
    if (found && !router::is_call_tool(*found)) inner = *std::move(found);
  }
  auto key =
      take_request_key(asked.http(), *body, *route->tool, inner ? inner->tool.get() : nullptr);
  if (!key) co_return transport::answer_error(asked.exchange, key.error());
  InnerCall keyed;
  if (router::is_call_tool(*route)) keyed = inner_call_in(body->arguments);
  if (keyed.tool.empty()) keyed = {body->tool, body->arguments};
  if (!key->text.empty()) {
    if (route->tool->declared().external) {
      co_return transport::answer_error(
          asked.exchange, key->fault("is not possible for a tool that a client executes"));
    }
    const RecordPtr earlier = services_.detached.earlier(session->principal, keyed.tool, key->text);
    const std::string clash =
        earlier ? clash_with(*earlier, *session, keyed.arguments, body->context) : "";
    if (!clash.empty()) co_return transport::answer_error(asked.exchange, key->fault(clash));
    if (earlier) co_return co_await answer_again(asked, earlier);
  }
  made.tool = std::move(body->tool);
  made.arguments = std::move(body->arguments);
  made.context = std::move(body->context);
  made.definition = route->tool->digest();
  made.tool_use_id = std::move(body->tool_use_id);
  made.idempotency_key = std::move(key->text);
  made.key_tool = keyed.tool;
  made.webhooks = std::move(body->webhooks);
  made.by = way_of(asked);
  const std::size_t bytes = made.arguments.size() + made.context.size();
  const auto record = co_await services_.detached.create(std::move(made));
  if (record) co_return answer_accepted(asked, *now_of(services_, *record));
  const bool own = services_.detached.is_full_for(session->principal, bytes);
  using transport::Problem;
  transport::answer_error(asked.exchange, own ? Problem::LimitReached : Problem::Unavailable,
                          record.error().message, {{"Retry-After", "5"}});
}

// The answer to a repetition of a call. Links in its result are valid for who repeats it.
awaitable<void> RequestRoutes::answer_again(const Asked& asked, const RecordPtr& record) const {
  const auto added = co_await services_.records.added(record->id);
  if (!added) {
    co_return transport::answer_error(
        asked.exchange, transport::Problem::Unavailable,
        "the call that this key was used for was not accepted: repeat it", {{"Retry-After", "5"}});
  }
  tool::Record shown = *now_of(services_, record);
  if (shown.is_over() && !shown.result.empty()) {
    auto passport = std::make_shared<tool::Passport>();
    passport->who = {shown.principal, shown.agent, shown.session, credential_of(asked.visitor)};
    tool::Call call;
    call.passport = std::move(passport);
    auto renewed = co_await services_.result_files.renew(call, task::result_in(shown.result));
    shown.result = task::text_of(renewed);
  }
  answer_accepted(asked, shown);
}

// The call is stored. Changes of it that are not stored yet cannot make it refused any more.
void RequestRoutes::answer_accepted(const Asked& asked, const tool::Record& shown) const {
  transport::answer_json(asked.exchange, 202,
                         record_json(shown, services_.records.last_beat(shown.id)),
                         {{"Location", "/v1/tools/request/" + shown.session + '/' + shown.id}});
}

awaitable<void> RequestRoutes::answer_record(const Asked& asked, std::string id) {
  const auto kept = co_await services_.records.kept(id);
  const RecordPtr now = services_.records.find(id);
  if (!now) co_return no_request(asked);
  if (!kept) {
    co_return transport::answer_error(asked.exchange, transport::Problem::Unavailable,
                                      kept.error().message);
  }
  transport::answer_json(asked.exchange, 200, record_json(*now, services_.records.last_beat(id)));
}

awaitable<void> RequestRoutes::show(const Asked& asked) {
  const RecordPtr record = find(asked, For::OwnerOrReviewer);
  if (!record) co_return no_request(asked);
  const auto given = read_parameters(asked.http().query(), {"wait"});
  if (!given) co_return transport::answer_error(asked.exchange, given.error());
  const auto wait = read_number(*given, "wait");
  if (!wait) co_return transport::answer_error(asked.exchange, wait.error());
  const std::chrono::seconds most(std::min(wait->value_or(0), kLongestWait));
  co_await services_.detached.wait_for_end(record->id, most);
  if (!services_.authenticator.still_admits(asked.visitor)) {
    co_return transport::answer_error(asked.exchange, transport::Problem::Unauthorized,
                                      "the key or login of this request is not valid any more");
  }
  co_await answer_record(asked, record->id);
}

awaitable<void> RequestRoutes::cancel(const Asked& asked) {
  const RecordPtr record = find(asked, For::Owner);
  if (!record) co_return no_request(asked);
  if (record->is_over()) {
    co_return conflict(
        asked, "the call has already ended in state " + std::string(to_string(record->state)));
  }
  services_.detached.cancel(record, tool::kCancelled, way_of(asked));
  co_await answer_record(asked, record->id);
}

// How an answered call ends, or has ended. With post_ tools, its caller may have to execute those
// first, so the answer does not wait for them.
std::string RequestRoutes::answered_json(const tool::Record& answered) const {
  const RecordPtr now = services_.records.find(answered.id);
  tool::RecordState state =
      answered.response.code.empty() ? tool::RecordState::Complete : tool::RecordState::Error;
  if (now && now->is_over()) state = now->state;
  std::string out = "{";
  json::add_text(out, "state", to_string(state));
  return out + "}";
}

// For the audit: who executed the call, as its caller or as a reviewer.
void RequestRoutes::note_answer(const Asked& asked, const tool::Record& record) {
  services_.audit.note(
      store::AuditEvent::Answer,
      {{"call", record.id},
       {"by", way_of(asked)},
       {"as", owns(asked, record) ? "caller" : "reviewer"},
       {"by_agent", asked.visitor.agent},
       {"key", asked.visitor.key},
       {"worker", record.lease.worker},
       {"principal", record.principal},
       {"agent", record.agent},
       {"session", record.session},
       {"tool", record.tool},
       {"outcome", record.response.code.empty() ? std::string_view("complete")
                                                : std::string_view(record.response.code)}});
}

awaitable<void> RequestRoutes::answer(const Asked& asked, Leases::Answer answer, bool refreshes) {
  if (const auto* const refused = std::get_if<Leases::Refused>(&answer)) {
    if (refused->kind == Leases::Refused::Kind::Conflict)
      co_return conflict(asked, refused->message);
    co_return transport::answer_error(asked.exchange,
                                      json::fault_at(refused->pointer, refused->message));
  }
  const RecordPtr& record = std::get<RecordPtr>(answer);
  // Before it is stored: the pipeline goes on with the answer, whatever becomes of this request.
  if (record->is_answered()) note_answer(asked, *record);
  if (!refreshes) {  // a refreshed lease changes memory only
    const auto kept = co_await services_.records.kept(record->id);
    if (!kept) {
      co_return transport::answer_error(asked.exchange, transport::Problem::Unavailable,
                                        kept.error().message);
    }
  }
  if (record->is_answered()) {
    co_await services_.detached.wait_for_check(record->id);
    co_return transport::answer_json(asked.exchange, 200, answered_json(*record));
  }
  std::string out = "{";
  json::add_text(out, "state", to_string(record->state));
  // Only whoever picks the call up gets the token.
  if (!refreshes && !record->is_over())
    json::add_member(out, "lease", std::to_string(record->lease.token));
  transport::answer_json(asked.exchange, 200, out + "}");
}

awaitable<void> RequestRoutes::heartbeat(const Asked& asked) {
  const RecordPtr record = find(asked, For::Owner);
  if (!record) co_return no_request(asked);
  auto body = read_heartbeat_body(asked.http());
  if (!body) co_return transport::answer_error(asked.exchange, body.error());
  const Leases::Worker worker = worker_of(asked, std::move(body->caller));
  const bool refreshes = !body->failed && record->state == tool::RecordState::Processing;
  Leases::Answer answered = body->failed
                                ? services_.leases.fail(record, worker, body->error)
                                : services_.leases.heartbeat(record, worker, body->client_clock);
  co_await answer(asked, std::move(answered), refreshes);
}

// A result is checked against the schema of the tool, which the record's principal may have made:
// the time counts for this principal. Other responses are not checked, and do not wait.
awaitable<void> RequestRoutes::respond(const Asked& asked) {
  RecordPtr record = find(asked, For::OwnerOrReviewer);
  if (!record) co_return no_request(asked);
  auto body = read_response_body(asked.http());
  if (!body) co_return transport::answer_error(asked.exchange, body.error());
  const std::string principal = record->principal;
  const Leases::Worker worker = worker_of(asked, std::move(body->caller));
  std::variant<Leases::Held, Leases::Refused> held;
  if (json::find_text(body->response.root(), "state") == "COMPLETE") {
    held = services_.leases.hold(record, worker);
    if (const auto* const refused = std::get_if<Leases::Refused>(&held))
      co_return conflict(asked, refused->message);
    const auto turn = co_await services_.check_turns.wait(principal, std::make_shared<Cancel>());
    if (!turn) {
      co_return transport::answer_error(asked.exchange, transport::Problem::Unavailable,
                                        turn.error().message, {{"Retry-After", "1"}});
    }
    record = find(asked, For::OwnerOrReviewer);  // it may have changed in the meantime
    if (!record) co_return no_request(asked);
  }
  const router::CheckTurns::Began began = services_.check_turns.began();
  Leases::Answer answered = services_.leases.respond(record, worker, body->response.root());
  services_.check_turns.ended(principal, began);
  const auto* const now = std::get_if<RecordPtr>(&answered);
  const bool refreshes = now && (*now)->version == record->version;  // the response is PENDING
  co_await answer(asked, std::move(answered), refreshes);
}

}  // namespace host::rest
