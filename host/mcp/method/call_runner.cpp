#include "mcp/method/call_runner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "approval/refusal.h"
#include "base/digest.h"
#include "json/canonical.h"
#include "mcp/method/asking_client.h"
#include "mcp/method/call_watch.h"
#include "router/view/router.h"
#include "session/sessions.h"
#include "tool/call/edits.h"
#include "tool/call/fault_text.h"
#include "tool/call/sent_context.h"
#include "tool/definition/question_key.h"
#include "tool/definition/unbegun.h"
#include "tool/definition/upstream_state.h"

namespace host::mcp {
namespace {

// What a request says that repeats one which was answered with questions.
struct Retry {
  std::string state;  // empty: a first call
  const json::Value* responses = nullptr;
};

std::optional<std::string> read_retry(const Request& request, Retry& retry) {
  const json::Value* const state = request.param("requestState");
  if (state && !state->IsString()) return "\"requestState\" must be a string";
  if (state) retry.state = json::text(*state);
  retry.responses = request.param("inputResponses");
  if (retry.responses && !retry.responses->IsObject()) {
    return "\"inputResponses\" must be an object";
  }
  return std::nullopt;
}

// Who asks for what with which arguments and which context: a question's state is good for nothing
// else.
std::string binding_of(const Request& request, const tool::Call& call) {
  std::string bound;
  append_bound(request.who.principal, bound);
  append_bound(request.who.agent, bound);
  append_bound(request.message.method, bound);
  append_bound(call.name, bound);
  append_bound(json::canonical(call.arguments.root()), bound);
  const std::string context = tool::text_of(call.passport->sent);
  if (!context.empty()) append_bound(context, bound);
  const Sha256 hash = sha256(bound);
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

// The context of this one call. A client without the right to send one gets an error: if the host
// ignored the context, the call would run with that of the session.
Result<tool::SentContext> sent_context_of(const Request& request) {
  const json::Value* const given = request.envelope.context;
  if (!given) return tool::SentContext();
  if (!request.who.may_send_context) {
    return Error{ErrorKind::Denied,
                 "_meta[\"" + std::string(protocol::kContextKey) +
                     "\"] needs a key with the scope \"context\": call without it, or with such a "
                     "key"};
  }
  return tool::read_sent_context(*given, "/_meta/io.toolpost~1context");
}

// Then the session's end has cancelled the request: its client has not, and waits for an answer.
bool has_lost_its_session(const Services& services, const tool::Call& call) {
  const std::string& session = call.passport->who.session;
  return services.sessions && !session.empty() && !services.sessions->find(session);
}

bool can_be_asked(const tool::Abilities& able) {
  return able.forms || able.urls || able.sampling || able.roots;
}

// A level is asked for by each request of the stateless version, by a session once.
std::optional<int> log_level_of(const Request& request) {
  if (!protocol::features(request.version).stateless) {
    if (!request.settings) return std::nullopt;
    return request.settings->log_level;
  }
  if (!request.envelope.log_level) return std::nullopt;
  return protocol::log_level_from(json::text(*request.envelope.log_level));
}

// The approvals of the run that has asked. The next run goes on under them.
void add_marks(const tool::Answers& from, tool::Answers& to) {
  for (const auto& [key, answer] : from) {
    if (key.starts_with(tool::kPassedKey)) to.emplace(key, answer);
  }
}

bool has_begun(const OpenRound& open) {
  return tool::has_begun({open.round.state, open.answers}, open.round.questions);
}

// A server that keeps the call in its own requestState asks on after the end of its connection.
bool still_asks(const tool::Round& round) {
  const bool is_over = round.over && round.over->requested();
  return !round.questions.empty() && (!is_over || round.state.starts_with(tool::kAskedState));
}

void take_marks_out(tool::Answers& answers) {
  std::erase_if(answers, [](const auto& one) { return one.first.starts_with(tool::kPassedKey); });
}

// The answers that came with a request. A call that asks its client again takes them along.
class OfAnswers final : public tool::Receipt {
 public:
  OfAnswers(RequestStates& states, std::string nonce) : states_(states), nonce_(std::move(nonce)) {}

  awaitable<Result<void>> spend() override {
    if (!spent_) spent_ = states_.spend(nonce_);
    co_return Result<void>();
  }
  awaitable<void> give_back() override {
    if (spent_) {
      states_.give_back(*std::exchange(spent_, std::nullopt));
    } else {
      states_.give_back(nonce_);
    }
    co_return;
  }

 private:
  RequestStates& states_;
  const std::string nonce_;
  std::optional<RequestStates::Spent> spent_;  // the provider can still refuse to start the call
};

}  // namespace

bool Callee::keeps_answer(const tool::Call& call) const {
  const bool waits_for_others =
      call.phase == tool::Phase::WaitsForApproval || call.phase == tool::Phase::WaitsForCaller;
  return waits_for_others || !call.idempotency_key.empty();
}

CallRunner::CallRunner(const Services& services, const ServerInfos& infos)
    : services_(services),
      infos_(infos),
      states_(services.clock, services.question_lifetime),
      call_prefix_(random_id(9) + "-") {}

tool::PassportPtr CallRunner::passport_of(const Request& request, tool::SentContext sent) {
  auto passport = std::make_shared<tool::Passport>();
  passport->call = call_prefix_ + std::to_string(++last_call_);
  passport->who = request.who;
  if (passport->who.session.empty()) passport->who.session = request.session;
  passport->connection = request.connection;
  passport->remote = request.remote;
  passport->trace = request.envelope.trace;
  if (sent) tool::give_context(*passport, std::move(sent));
  return passport;
}

void CallRunner::fill(tool::Call& call, const Request& request, tool::SentContext sent) {
  call.passport = passport_of(request, std::move(sent));
  call.code = request.code;
  call.started = services_.clock.steady();
  if (request.cancel) call.cancel = request.cancel;
  call.unheard = request.unheard;
}

awaitable<Reply> CallRunner::run(Request& request, tool::Call& call, std::string_view definition,
                                 Callee& callee) {
  const protocol::Id& id = request.message.id;
  const bool stateless = protocol::features(request.version).stateless;
  auto sent = sent_context_of(request);
  if (!sent) co_return invalid_params(id, sent.error().message);
  fill(call, request, *std::move(sent));
  StatelessAsker stateless_asker(request.abilities);
  SessionAsker session_asker(request.client, request.outlet, request.version, request.abilities,
                             services_.question_lifetime);
  std::string binding;
  std::string taken;  // nonce of the round whose answers came with this request
  Retry retry;
  call.asker = &session_asker;
  if (stateless) {
    call.asker = &stateless_asker;
    if (auto fault = read_retry(request, retry)) co_return invalid_params(id, *fault);
    if (can_be_asked(request.abilities) || !retry.state.empty()) {
      binding = binding_of(request, call);
    }
    if (!retry.state.empty()) {
      const OpenRound* const open = states_.find(retry.state, binding);
      if (!open || open->definition != definition)
        co_return refuse_state(request, call, definition, open, callee);
      if (auto fault = stateless_asker.resume(*open, retry.responses)) {
        co_return invalid_params(id, *std::move(fault));
      }
      call.continues = has_begun(*open);
      if (call.continues && !stateless_asker.heard() && still_asks(open->round))
        co_return ask_again(request, stateless_asker, *open, retry.state);
      tool::copy_run(open->answers, call.continuation.answers);
      if (stateless_asker.heard()) {  // so the state is good for no second run
        add_marks(open->answers, call.continuation.answers);
        taken = states_.take(retry.state, binding);
        call.receipts.push_back(std::make_unique<OfAnswers>(states_, taken));
      }
    } else if (retry.responses) {
      stateless_asker.bring(*retry.responses);
    }
  }
  CallWatch watch(request.outlet,
                  {protocol::read_id(request.envelope.progress_token), log_level_of(request)},
                  request.version, services_.clock);
  if (watch.wanted()) call.observer = &watch;

  Cancel::Registration gone;
  if (request.gone) {
    gone = request.gone->on_cancel([&call, &callee, cancel = call.cancel] {
      if (!callee.keeps_answer(call)) cancel->request();
    });
  }
  Result<tool::CallResult> result = Error{ErrorKind::Internal, "the call did not end"};
  try {
    result = co_await callee.run(call);
  } catch (const std::exception& problem) {
    result = Error{ErrorKind::Internal, problem.what()};
  }
  // Or the answers that are there would let the tool go on under an earlier approval.
  if (!retry.state.empty() && approval::is_denied_by_person(call)) {
    if (taken.empty()) taken = states_.take(retry.state, binding);
    states_.use(taken);
  }
  if (request.cancel && request.cancel->requested() && request.cancel->by() == Cancel::By::Asker) {
    if (auto reply = reply_to_cancelled(request, call, result)) co_return *std::move(reply);
  }
  watch.finish();
  if (!result || !result->round || !stateless) co_return reply_to(request, call, result, callee);
  states_.use(taken);  // the new round has its answers
  Reply reply;
  OpenRound open = stateless_asker.left_open(*std::move(result->round), call.continuation.state);
  open.definition = definition;
  take_marks_out(open.answers);  // a round of the gate's own questions has none
  if (call.ran) {
    add_marks(call.continuation.answers, open.answers);
    tool::copy_run(call.continuation.answers, open.answers);
  } else if (call.continuation.answers.contains(tool::kMustNotRepeat)) {
    // The tool ran in this request, and then the host asked.
    open.answers.insert_or_assign(std::string(tool::kMustNotRepeat), "true");
  }
  const tool::Round asked{open.round.questions, {}};
  const std::string state = states_.issue(std::move(open), binding, request.who.principal);
  reply.text = protocol::round_answer(id, asked, state, infos_.of(request.version));
  co_return reply;
}

// The state stays good for the answers. If the call ran without them, it could run once more with
// them, and a second approval would be asked for although the first one covers the answers.
Reply CallRunner::ask_again(const Request& request, const StatelessAsker& asker,
                            const OpenRound& open, std::string_view state) const {
  const OpenRound again = asker.left_open(open.round, open.round.state);
  Reply reply;
  reply.text = protocol::round_answer(request.message.id, {again.round.questions, {}}, state,
                                      infos_.of(request.version));
  return reply;
}

// `open` is null if the state is not valid. Otherwise the tool or its server was changed, or the
// tool is not served any more. A tool that this client does not see is unknown, with and without a
// state.
Reply CallRunner::refuse_state(const Request& request, const tool::Call& call,
                               std::string_view definition, const OpenRound* open,
                               const Callee& callee) const {
  const bool may_have_acted = !open || has_begun(*open);
  if (call.function == tool::Function::Call && definition.empty()) {
    Error unknown = router::unknown_tool(call.name, "tools/list lists the tools");
    if (may_have_acted) unknown.message += ". The call that asked may have carried out a part";
    return callee.failure(request, call, unknown);
  }
  const char* const why =
      open ? "requestState is not valid any more, because the tool or its server was changed or "
             "removed after the tool had asked. "
           : "requestState is altered, expired, used or another call's. ";
  const char* const next =
      may_have_acted ? "The call that asked may have carried out a part: find out before you call "
                       "again without requestState"
                     : "The tool has not begun the call: call again without requestState";
  return invalid_params(request.message.id, std::string(why) + next);
}

// Nothing: it has a result, which its client can still be given.
std::optional<Reply> CallRunner::reply_to_cancelled(const Request& request, const tool::Call& call,
                                                    const Result<tool::CallResult>& result) const {
  const protocol::Id& id = request.message.id;
  if (!has_lost_its_session(services_, call)) {
    Reply reply = refuse({protocol::kRequestCancelled, "the request was cancelled", id, {}});
    reply.cancelled = true;
    return reply;
  }
  if (result) return std::nullopt;
  return refuse({protocol::kRequestCancelled,
                 "the session of this request has ended, and the request with it: what it did "
                 "until then stands",
                 id,
                 {}});
}

Reply CallRunner::reply_to(const Request& request, const tool::Call& call,
                           const Result<tool::CallResult>& result, const Callee& callee) const {
  if (!result) return reply_to_error(request, call, result.error(), callee);
  // Clients of older versions have no error for it: they get the words of the result.
  const bool has_words = !result->content.empty() && !protocol::features(request.version).stateless;
  if (!result->lacking.empty() && !has_words)
    return reply_to_lacking(request, call, result->lacking, callee);
  Reply reply;
  reply.text = callee.answer(request, call, *result);
  return reply;
}

// It has to ask what this client cannot be asked.
Reply CallRunner::reply_to_lacking(const Request& request, const tool::Call& call,
                                   const std::string& lacking, const Callee& callee) const {
  std::string why = "\"" + call.name + "\" needs a client with the capabilities " + lacking;
  if (!protocol::features(request.version).stateless) {
    return callee.failure(request, call, {ErrorKind::Denied, std::move(why)});
  }
  return refuse({protocol::kMissingCapability, std::move(why), request.message.id,
                 R"({"requiredCapabilities":)" + lacking + "}"},
                400);
}

bool CallRunner::timeout_is_rpc_error(const Request& request) const {
  if (tells_codes(services_.config, request)) return true;
  const std::string& how = services_.config.call.timeout_error;
  if (how == "result") return false;
  return how == "rpc-error" || protocol::features(request.version).timeout_is_rpc_error;
}

// Three failures are kept apart: the request is wrong, what was called failed, the host is at
// fault.
Reply CallRunner::reply_to_error(const Request& request, const tool::Call& call, const Error& error,
                                 const Callee& callee) const {
  const protocol::Id& id = request.message.id;
  if (error.kind == ErrorKind::DeadlineExceeded && timeout_is_rpc_error(request)) {
    std::string data = R"({"reason":)";
    json::write_string(error.message, data);
    data += '}';
    return refuse({protocol::kCallTimeout, "Agent reply timeout", id, std::move(data)});
  }
  if (error.kind == ErrorKind::Unavailable && request.http) {
    Reply reply = refuse({protocol::kBusy, error.message, id, {}}, 429);
    reply.busy = true;
    return reply;
  }
  if (error.kind != ErrorKind::Io && error.kind != ErrorKind::Internal)
    return callee.failure(request, call, error);
  const Error told = tool::without_fault_text(call, error).error();
  return refuse({protocol::kInternalError, told.message, id, {}});
}

}  // namespace host::mcp
