#include "approval/gate.h"

#include <utility>

#include "approval/approved_mark.h"
#include "approval/call_key.h"
#include "approval/code_visit.h"
#include "approval/question.h"
#include "approval/refusal.h"
#include "base/log.h"
#include "identity/totp.h"
#include "json/json.h"
#include "json/own_text.h"
#include "protocol/elicitation.h"
#include "tool/call/edits.h"
#include "tool/call/end_words.h"
#include "tool/call/sent_context.h"

namespace host::approval {
namespace {

using boost::asio::awaitable;

using Act = protocol::ElicitAnswer::Act;

constexpr std::string_view kKey = "toolpost.approval";  // a plugin's key may not begin like this
// A form without fields: accepting it is the approval.
constexpr std::string_view kNoFields = R"({"type":"object","properties":{}})";

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

// The key includes the build, so a late answer of the client cannot approve a different one.
std::string key_of(const Request& request) {
  return std::string(kKey) + "." + to_hex(sha256(request.build));
}

// Which files a reviewer lets the tool read. Names are the caller's, without hidden characters.
std::string attachments_of(const tool::Call& call) {
  std::string text;
  if (!call.passport->given) return text;
  for (const tool::Attachment& one : call.passport->given->attachments) {
    text += text.empty() ? "\nAttachments: " : ", ";
    json::write_string(one.name, text);
    text += " (" + one.content_type + ", " + std::to_string(one.bytes) + " bytes, id " + one.id;
    if (!one.sha256.empty()) text += ", SHA-256 " + one.sha256;
    text += ")";
  }
  return text;
}

// The context is part of what is approved. Its names have no hidden characters.
std::string context_of(const tool::Call& call) {
  const std::string context = tool::text_of(call.passport->sent);
  return context.empty() ? context : "\nContext: " + context;
}

tool::Question question_about(const tool::Call& call, const tool::Tool& tool,
                              const Request& request) {
  std::string message =
      "Allow \"" + tool.name() + "\" to run?\n" + request.reason + "\nArguments: " +
      // complete, because the reviewer must see everything that will run
      json::write(call.arguments.root()) + context_of(call) + attachments_of(call);
  if (!request.covered.empty()) message += "\nAfterwards it runs: " + join(request.covered);
  return {key_of(request), "elicitation/create", protocol::form_params(message, kNoFields)};
}

std::string how_to_allow(const tool::Call& call, const Request& request) {
  if (!request.rules_can_allow) {
    return "It is asked about every time; only an operator's `auto_approve` in config.toml passes "
           "it.";
  }
  std::string text = "An operator can allow it in config.toml, by `auto_approve = true` for \"" +
                     call.provider + "\" or by a rule";
  if (!request.suggestions.empty() && !tool::has_edits(call.continuation))
    text += ": " + join(request.suggestions);
  return text + ".";
}

tool::CallResult nobody_to_ask(const tool::Call& call, const tool::Tool& tool,
                               const Request& request) {
  return tool::CallResult::error(
      "\"" + tool.name() + "\" needs a person's approval and " +
      std::string(tool::did_not_run(call)) + ": " + reason_for_client(call, request.reason) + "\n" +
      how_to_allow(call, request) + "\nDo not retry it unchanged before that.");
}

// No answer, a refusal and a malformed answer are not approvals.
Act act_of(const tool::Answers& answers, const Request& request) {
  const auto at = answers.find(key_of(request));
  const auto tree = json::parse(at == answers.end() ? "" : at->second);
  const auto answer = tree ? protocol::read_elicit_answer(tree->root()) : std::nullopt;
  return answer ? answer->act : Act::Cancel;
}

store::ApprovalRecord record_of(const tool::Call& call, const tool::Tool& tool,
                                const Request& request) {
  store::ApprovalRecord record;
  record.arguments = arguments_of(call);
  record.context = tool::text_of(call.passport->sent);
  record.key = key_for(call, tool, request.build, record.arguments);
  record.session = call.passport->who.session;
  record.provider = call.provider;
  record.reason = request.reason + attachments_of(call);
  if (request.rules_can_allow && !request.needs_code) {  // no rule replaces a code
    record.suggestions = request.suggestions;
    record.rules = request.rules;
  }
  record.covered = request.covered;
  record.needs_code = request.needs_code;
  record.input_schema = json::write(tool.input_tree());
  if (tool.presets()) record.presets = json::write(*tool.presets());
  return record;
}

// The same question in another session, or with another context, is another question.
store::ApprovalRecord question_record_of(const tool::Call& call, const tool::Tool& tool) {
  store::ApprovalRecord record;
  record.arguments = arguments_of(call);
  record.session = call.passport->who.session;
  record.key = key_for(call, tool, {}, record.arguments);
  record.context = tool::text_of(call.passport->sent);
  record.key.arguments =
      sha256(canonical_of(call, record.arguments) + record.context + "\n" + record.session);
  record.provider = call.provider;
  record.reason = question_in(call.arguments.root()).text;
  record.is_question = true;
  return record;
}

tool::CallResult no_answer(const tool::Tool& tool, const store::ApprovalRecord& record) {
  if (record.state == store::ApprovalState::Pending) {
    return tool::CallResult::error(
        "\"" + tool.name() + "\" waits for a person's answer. The question is " + record.id +
        "; it expires at " + to_rfc3339(record.expires) + how_to_hear(record) +
        ": that call returns the answer. A reviewer answers in the console, or with `toolpost "
        "approvals answer`.");
  }
  std::string text = record.state == store::ApprovalState::Rejected ? "A person declined to answer"
                     : record.state == store::ApprovalState::Expired
                         ? "Nobody answered the question in time"
                         : "The question was withdrawn";
  if (!record.note.empty()) text += ": " + record.note;
  return tool::CallResult::error(text + "\nGo on without an answer; do not ask the same again.");
}

// The approvals and approval requests of a call that runs without them.
class OfRule final : public tool::Receipt {
 public:
  enum class IfStoreFails { Refuse, Run };
  OfRule(std::shared_ptr<Approvals> people, store::ApprovalKey key, IfStoreFails then)
      : people_(std::move(people)), key_(std::move(key)), then_(then) {}

  awaitable<Result<void>> spend() override {
    if (spent_) co_return Result<void>();
    auto used = co_await people_->use_up(key_);
    if (used) {
      used_ = *std::move(used);
    } else if (then_ == IfStoreFails::Refuse) {
      co_return used.error();
    } else {
      log::warning("approval", "the call runs by a rule, but its approval request stays open",
                   {{"tool", key_.tool}, {"reason", used.error().message}});
    }
    spent_ = true;
    co_return Result<void>();
  }
  awaitable<void> give_back() override {
    Approvals::UsedUp used = std::exchange(used_, {});
    co_await people_->give_back(std::move(used));
  }

 private:
  const std::shared_ptr<Approvals> people_;
  const store::ApprovalKey key_;
  const IfStoreFails then_;
  Approvals::UsedUp used_;
  bool spent_ = false;
};

// A code is used up as soon as it is judged, because it is good for a minute only. So it is lost if
// the host is killed before the call runs.
class OfCode final : public tool::Receipt {
 public:
  OfCode(std::shared_ptr<Approvals> people, std::string principal, identity::UsedCode used)
      : people_(std::move(people)), principal_(std::move(principal)), used_(std::move(used)) {}

  awaitable<Result<void>> spend() override { co_return Result<void>(); }
  awaitable<void> give_back() override { co_await people_->give_code_back(principal_, used_); }

 private:
  const std::shared_ptr<Approvals> people_;
  const std::string principal_;
  const identity::UsedCode used_;
};

// The time for which a code applies begins with the run.
class OfGrace final : public tool::Receipt {
 public:
  OfGrace(Grace& grace, const tool::Call& call) : grace_(grace), call_(call) {}

  awaitable<Result<void>> spend() override {
    if (!begun_) begun_ = grace_.begin(call_);
    co_return Result<void>();
  }
  awaitable<void> give_back() override {
    if (begun_) grace_.put_back(call_, *begun_);
    co_return;
  }

 private:
  Grace& grace_;
  const tool::Call& call_;  // has this receipt
  std::optional<Grace::Begun> begun_;
};

void tell_question(const Request& request, std::string_view approval) {
  if (request.on_question) request.on_question(approval);
}

Passage denied_by_code(tool::Call& call, const Error& why) {
  call.outcome = "denied";
  call.rule = kByCode;
  return {
      tool::CallResult::error(why.message + ". It " + std::string(tool::did_not_run(call)) + "."),
      false};
}

// True: the call has other arguments now.
Result<bool> take_edits(tool::Call& call, const store::ApprovalRecord& record) {
  if (record.edited.empty()) return false;
  HOST_TRY_ASSIGN(json::Document edited, json::parse_own(record.edited));
  call.arguments = std::move(edited);
  call.arguments_text.clear();
  return true;
}

}  // namespace

awaitable<Result<Passage>> Gate::pass(tool::Call& call, const tool::Tool& tool,
                                      const Request& request) {
  if (is_marked_approved(call, tool, request)) {
    call.rule = request.needs_code ? kByCode : kByPerson;
    co_return Passage{};
  }
  auto passed = co_await ask(call, tool, request);
  if (passed && !passed->unmet && !passed->edited && !passed->judge_again)
    mark_approved(call, tool, request);
  co_return passed;
}

awaitable<Result<Passage>> Gate::ask(tool::Call& call, const tool::Tool& tool,
                                     const Request& request) {
  if (request.needs_code) {
    auto asked = co_await ask_for_code(call, tool, request);
    co_return asked;
  }
  // The client must not see the values that a reviewer has entered.
  const bool is_clients = !tool::has_edits(call.continuation);
  if (ask_client_ && is_clients && call.asker && call.asker->abilities().forms) {
    auto asked = co_await ask_client(call, tool, request);
    co_return asked;
  }
  // A nested call does not wait for approval, because that would use up its outer call's time.
  if (people_ && call.passport->origin != tool::Origin::Plugin) {
    auto asked = co_await ask_people(call, tool, request);
    co_return asked;
  }
  call.outcome = "needs_approval";
  co_return Passage{nobody_to_ask(call, tool, request), false};
}

awaitable<Result<std::optional<tool::CallResult>>> Gate::ask_question(tool::Call& call,
                                                                      const tool::Tool& tool) {
  if (call.asker && call.asker->abilities().forms) co_return std::nullopt;
  if (!people_ || call.passport->origin == tool::Origin::Plugin) {
    call.outcome = "nobody_to_ask";
    co_return tool::CallResult::error(
        "\"" + tool.name() +
        "\" cannot ask anybody: the client shows no forms, and no question can go to the reviewers "
        "of this host. Go on without an answer.");
  }
  if (auto refusal = refuse_large(call, tool)) co_return std::move(refusal->unmet);
  HOST_CO_TRY_ASSIGN(Approvals::Met met, co_await people_->meet(question_record_of(call, tool)));
  if (met.record.state == store::ApprovalState::Pending) {
    if (call.recorder) call.recorder->waits(tool::kWaitsForAnswer, met.record.id);
    HOST_CO_TRY_ASSIGN(met, co_await people_->wait(call, std::move(met)));
  }
  if (met.record.state == store::ApprovalState::Approved) {
    call.continuation.answers.insert_or_assign(kQuestionKey, elicited(met.record.answer));
    call.receipts.push_back(std::move(met.hold));
    co_return std::nullopt;
  }
  call.outcome = met.record.state == store::ApprovalState::Pending ? "pending" : "unanswered";
  co_return no_answer(tool, met.record);
}

void Gate::runs_by_always(tool::Call& call, const tool::Tool& tool, const std::string& build) {
  if (!people_) return;  // without a store there are no approvals
  store::ApprovalKey key = key_for(call, tool, build, arguments_of(call));
  call.receipts.push_back(
      std::make_unique<OfRule>(people_, std::move(key), OfRule::IfStoreFails::Refuse));
}

void Gate::runs_unasked(tool::Call& call, const tool::Tool& tool, const std::string& build) {
  if (!may_have_asked(call, tool)) return;
  store::ApprovalKey key = key_for(call, tool, build, arguments_of(call));
  if (!people_->has_left(key, call.passport->who.session)) return;
  call.receipts.push_back(
      std::make_unique<OfRule>(people_, std::move(key), OfRule::IfStoreFails::Run));
}

awaitable<Result<Passage>> Gate::ask_for_code(tool::Call& call, const tool::Tool& tool,
                                              Request request) {
  if (!people_ || call.passport->origin == tool::Origin::Plugin) {
    call.outcome = "needs_approval";
    co_return Passage{tool::CallResult::error(
                          "\"" + tool.name() +
                          "\" needs a person's one-time code, which cannot be asked for here"),
                      false};
  }
  if (call.code.empty() && grace_.holds(call)) {
    call.rule = kByGrace;
    if (request.code_is_yes) co_return Passage{};
    request.needs_code = false;
    auto asked = co_await ask_people(call, tool, request);
    co_return asked;
  }
  if (call.code.empty()) {
    HOST_CO_TRY_ASSIGN(const bool has_codes,
                       co_await people_->has_codes(call.passport->who.principal));
    if (!has_codes)
      co_return denied_by_code(call, identity::not_enrolled(call.passport->who.principal));
    if (!page_.empty() && call.asker && call.asker->abilities().urls) {
      auto sent = co_await ask_on_page(call, tool, request);
      co_return sent;
    }
    auto asked = co_await ask_people(call, tool, request);
    co_return asked;
  }
  if (!request.code_is_yes) {
    request.needs_code = false;
    auto asked = co_await ask_with_code(call, tool, request);
    co_return asked;
  }
  std::string code = std::exchange(call.code, std::string());
  const auto judged = std::make_shared<identity::JudgedCode>();
  const auto used =
      co_await people_->use_code(call.passport->who.principal, std::move(code), judged);
  tell_code(call, judged);
  if (!used && used.error().kind != ErrorKind::Denied) co_return used.error();
  if (!used) co_return denied_by_code(call, used.error());
  call.rule = kByCode;
  call.receipts.push_back(
      std::make_unique<OfCode>(people_, call.passport->who.principal, judged->used));
  call.receipts.push_back(std::make_unique<OfGrace>(grace_, call));
  co_return Passage{};
}

void Gate::tell_code(const tool::Call& call, const identity::SharedJudgement& judged) const {
  if (on_code_) on_code_(call, *judged);
}

awaitable<Result<Passage>> Gate::ask_with_code(tool::Call& call, const tool::Tool& tool,
                                               const Request& request) {
  if (auto refusal = refuse_large(call, tool)) co_return *std::move(refusal);
  std::string code = std::exchange(call.code, std::string());
  const auto judged = std::make_shared<identity::JudgedCode>();
  auto met = co_await people_->meet(record_of(call, tool, request), std::move(code), judged);
  tell_code(call, judged);
  if (!met && met.error().kind == ErrorKind::Denied) co_return denied_by_code(call, met.error());
  if (!met) co_return met.error();
  // A request that has had its code uses no second one.
  const bool is_used = judged->verdict == identity::CodeVerdict::Good;
  if (is_used && met->record.state == store::ApprovalState::Approved) {
    call.receipts.push_back(
        std::make_unique<OfCode>(people_, call.passport->who.principal, judged->used));
    call.receipts.push_back(std::make_unique<OfGrace>(grace_, call));
  }
  if (met->record.state != store::ApprovalState::Pending)
    co_return passage_by(call, tool, *std::move(met));
  tell_question(request, met->record.id);
  if (is_used) grace_.begin(call);  // the request has used the code, whatever becomes of it
  HOST_CO_TRY_ASSIGN(Approvals::Met settled,
                     co_await people_->wait(call, *std::move(met), request.still_needed));
  co_return passage_by(call, tool, std::move(settled));
}

awaitable<Result<Passage>> Gate::ask_client(tool::Call& call, const tool::Tool& tool,
                                            const Request& request) {
  tool::Round round{{question_about(call, tool, request)}, {}};
  tell_question(request, {});
  HOST_CO_TRY_ASSIGN(const std::optional<tool::Answers> answers,
                     co_await call.asker->ask(call, round));
  if (!answers) {
    call.outcome = "asked";
    tool::CallResult waiting;
    waiting.round = std::move(round);
    co_return Passage{std::move(waiting), false};
  }
  const Act act = act_of(*answers, request);
  if (act == Act::Accept) co_return Passage{};
  HOST_CO_TRY(co_await tool::spend(call.receipts));  // a rejection is final: its answer is used
  call.receipts.clear();
  call.outcome = "denied";
  call.rule = kByPerson;
  co_return Passage{denied_by_person(call, tool, act), false};
}

std::optional<Passage> Gate::refuse_large(tool::Call& call, const tool::Tool& tool) const {
  const auto why =
      people_->too_large(arguments_of(call).size() + tool::text_of(call.passport->sent).size());
  if (!why) return std::nullopt;
  call.outcome = tool::kBadArguments;
  return Passage{tool::CallResult::error("\"" + tool.name() + "\" needs an approval and " +
                                         std::string(tool::did_not_run(call)) + ": " + *why),
                 false};
}

awaitable<Result<Passage>> Gate::ask_people(tool::Call& call, const tool::Tool& tool,
                                            const Request& request) {
  if (auto refusal = refuse_large(call, tool)) co_return *std::move(refusal);
  HOST_CO_TRY_ASSIGN(Approvals::Met met, co_await people_->meet(record_of(call, tool, request)));
  if (met.record.state != store::ApprovalState::Pending)
    co_return passage_by(call, tool, std::move(met));
  tell_question(request, met.record.id);
  HOST_CO_TRY_ASSIGN(Approvals::Met settled,
                     co_await people_->wait(call, std::move(met), request.still_needed));
  co_return passage_by(call, tool, std::move(settled));
}

awaitable<Result<Passage>> Gate::ask_on_page(tool::Call& call, const tool::Tool& tool,
                                             const Request& request) {
  if (auto refusal = refuse_large(call, tool)) co_return *std::move(refusal);
  HOST_CO_TRY_ASSIGN(Approvals::Met met, co_await people_->meet(record_of(call, tool, request)));
  if (met.record.state != store::ApprovalState::Pending)
    co_return passage_by(call, tool, std::move(met));
  tell_question(request, met.record.id);
  CodeVisit visit(*people_, call, std::move(met), page_, request.still_needed);
  HOST_CO_TRY_ASSIGN(const bool ended, co_await call.asker->send_to(call, visit));
  if (!ended) {
    call.outcome = "asked";
    tool::CallResult asking;
    asking.round.emplace();
    asking.round->questions.push_back(visit.question());
    co_return Passage{std::move(asking), false};
  }
  const std::optional<Act> refusal = visit.refusal();
  HOST_CO_TRY_ASSIGN(Approvals::Met settled, visit.take_met());
  if (refusal) {
    call.outcome = "denied";
    call.rule = kByPerson;
    co_return Passage{denied_by_person(call, tool, *refusal), false};
  }
  co_return passage_by(call, tool, std::move(settled));
}

Result<Passage> Gate::passage_by(tool::Call& call, const tool::Tool& tool, Approvals::Met met) {
  const store::ApprovalRecord& record = met.record;
  if (met.is_needless) {
    Passage again;
    again.judge_again = true;
    return again;
  }
  if (record.state == store::ApprovalState::Approved && call.continues && !record.edited.empty()) {
    call.outcome = "denied";
    call.rule = kByPerson;
    return Passage{edited_too_late(call, tool), false};
  }
  if (record.state == store::ApprovalState::Approved) {
    call.rule = record.needs_code ? kByCode : kByPerson;
    call.receipts.push_back(std::move(met.hold));
    if (record.needs_code) call.receipts.push_back(std::make_unique<OfGrace>(grace_, call));
    HOST_TRY_ASSIGN(const bool edited, take_edits(call, record));
    return Passage{std::nullopt, edited};
  }
  if (record.state == store::ApprovalState::Pending) {
    call.outcome = "pending";
    return Passage{still_pending(call, tool, record), false};
  }
  call.outcome = "denied";
  call.rule = record.state == store::ApprovalState::Rejected ? kByPerson : "timeout";
  return Passage{rejected(call, tool, record), false};
}

}  // namespace host::approval
