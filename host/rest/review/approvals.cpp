#include "rest/review/approvals.h"

#include "approval/approval_json.h"
#include "json/json.h"
#include "json/object_text.h"
#include "permission/decision/stored_rules.h"
#include "rest/route/judged_code.h"
#include "rest/wire/body.h"
#include "rest/wire/parameters.h"
#include "router/step/result_step.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

using store::ApprovalRecord;

constexpr std::uint32_t kMostListed = 1000;
constexpr std::size_t kShort = 16u << 10u;  // bytes of a text that a list of short texts has

struct Wanted {
  bool pending_only = true;
  std::uint32_t limit = 100;
  std::string before;                       // an approval: the list goes on with older ones
  std::size_t longest = std::string::npos;  // bytes of a text that the list has
};

// Whoever reads the list after each change needs no long texts.
Result<std::size_t> read_longest(const Parameters& parameters) {
  const auto texts = parameters.find("texts");
  if (texts == parameters.end() || texts->second == "whole") return std::string::npos;
  if (texts->second == "short") return kShort;
  if (texts->second == "none") return std::size_t{0};
  return Error{ErrorKind::InvalidArgument,
               "texts: expected whole, short or none, not \"" + texts->second.substr(0, 80) + "\""};
}

Result<Wanted> read_wanted(std::string_view query) {
  HOST_TRY_ASSIGN(const Parameters parameters,
                  read_parameters(query, {"state", "limit", "before", "texts"}));
  Wanted wanted;
  if (const auto state = parameters.find("state"); state != parameters.end()) {
    if (state->second != "pending" && state->second != "all")
      return Error{ErrorKind::InvalidArgument,
                   "state: expected pending or all, not \"" + state->second.substr(0, 80) + "\""};
    wanted.pending_only = state->second == "pending";
  }
  HOST_TRY_ASSIGN(wanted.limit, read_limit(parameters, kMostListed, wanted.limit));
  HOST_TRY_ASSIGN(wanted.longest, read_longest(parameters));
  if (const auto before = parameters.find("before"); before != parameters.end())
    wanted.before = before->second;
  return wanted;
}

struct Verdict {
  store::ApprovalDecision decision;
  std::string digest;
  std::string code;
};

void read_always(Members& root, Verdict& verdict) {
  const json::Value* const always = root.any_if("always");
  if (!always) return;
  if (always->IsBool()) {
    if (always->GetBool()) verdict.decision.always = store::Reach::Principal;
  } else {
    verdict.decision.always = store::reach_from(json::text(*always));
    if (!verdict.decision.always)
      root.fault("always", R"(expected true, false, "principal", "session", "agent" or "host")");
  }
  if (verdict.decision.always && !verdict.decision.approved)
    root.fault("always", "only an approval makes rules");
}

void read_edited(Members& root, Verdict& verdict) {
  const json::Value* const arguments = root.object_if("arguments");
  if (!arguments) return;
  verdict.decision.edited = json::write(*arguments);
  if (!verdict.decision.approved) root.fault("arguments", "a rejection has no arguments");
}

Result<Verdict> read_verdict(const transport::HttpRequest& http) {
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  Members& root = body.root();
  Verdict verdict;
  const std::string_view decision = root.word("decision", {"approve", "reject", "answer"});
  const bool answers = decision == "answer";
  verdict.decision.approved = decision != "reject";
  verdict.decision.note = root.text_if("note").value_or("");
  verdict.digest = root.text_if("digest").value_or("");
  verdict.code = root.text_if("code").value_or("");
  read_always(root, verdict);
  read_edited(root, verdict);
  verdict.decision.answer = root.text_if("answer").value_or("");
  if (answers == verdict.decision.answer.empty()) {
    root.fault("answer", answers ? "is missing: it is the answer to the question"
                                 : "belongs to the decision \"answer\" alone");
  }
  if (verdict.decision.approved && !answers && verdict.digest.empty())
    root.fault("digest", "is missing: an approval is for the arguments that were shown");
  HOST_TRY(body.end());
  return verdict;
}

// Somebody else was first, or what was shown is not what stands there.
void answer_conflict(transport::HttpExchange& exchange, const ApprovalRecord& record,
                     const std::string& why) {
  std::string error = transport::problem_json(transport::Problem::Conflict, why);
  error.pop_back();
  json::add_member(error, "approval", approval::as_json(record));
  transport::answer_problem(exchange, transport::Problem::Conflict, error + "}");
}

// Whether a new call of this would run in the build that asked.
bool is_served(const Services& services, const ApprovalRecord& record) {
  const router::Router& router = services.router;
  const tool::Peer who{record.key.principal, record.key.agent, record.session};
  auto route = router.resolve(who, record.key.tool);
  const bool lives = services.sessions && services.sessions->find(record.session, who.principal);
  if (!route && !lives) route = router.resolve({who.principal, who.agent}, record.key.tool);
  return route && router::build_of(*route) == record.key.build &&
         route->tool->digest() == record.key.definition;
}

Error nothing_is_stored() {
  return {ErrorKind::NotFound, "this host keeps no approvals and no rules: store.file is empty"};
}

}  // namespace

awaitable<void> ApprovalRoutes::list(const Asked& asked) {
  const auto wanted = read_wanted(asked.exchange.request().query());
  if (!wanted) co_return transport::answer_error(asked.exchange, wanted.error());
  if (answers_head(asked)) co_return;
  std::vector<ApprovalRecord> records;
  if (services_.approvals) {
    auto found = co_await services_.approvals->list(wanted->pending_only, wanted->limit + 1,
                                                    wanted->before);  // one more: are there more
    if (!found) co_return transport::answer_error(asked.exchange, found.error());
    records = *std::move(found);
  }
  const bool more = records.size() > wanted->limit || store::is_full(records);
  if (records.size() > wanted->limit) records.resize(wanted->limit);
  std::string out = "{";
  json::add_text(out, "now", to_rfc3339(services_.clock.wall()));
  out += ",\"approvals\":[";
  for (const ApprovalRecord& record : records) {
    if (out.back() != '[') out += ',';
    out += approval::as_json(record, wanted->longest);
  }
  out += "]";
  if (more) json::add_text(out, "older", records.back().id);
  transport::answer_json(asked.exchange, 200, out + "}");
}

awaitable<void> ApprovalRoutes::show(const Asked& asked) {
  if (!services_.approvals) co_return transport::answer_error(asked.exchange, nothing_is_stored());
  const auto record = co_await services_.approvals->find(asked.id());
  if (!record) co_return transport::answer_error(asked.exchange, record.error());
  transport::answer_json(asked.exchange, 200, approval::as_json(*record));
}

awaitable<void> ApprovalRoutes::decide(const Asked& asked) {
  if (!services_.approvals) co_return transport::answer_error(asked.exchange, nothing_is_stored());
  auto verdict = read_verdict(asked.http());
  if (!verdict) co_return transport::answer_error(asked.exchange, verdict.error());
  const auto shown = co_await services_.approvals->find(asked.id());
  if (!shown) co_return transport::answer_error(asked.exchange, shown.error());
  if (!verdict->digest.empty() && verdict->digest != approval::digest_to_repeat(*shown)) {
    co_return answer_conflict(asked.exchange, *shown,
                              "the digest is not that of these arguments: look at them again");
  }
  verdict->decision.by = way_of(asked);
  const auto judged = std::make_shared<identity::JudgedCode>();
  const auto decided = co_await services_.approvals->decide(asked.id(), verdict->decision,
                                                            std::move(verdict->code), judged);
  note_judged(services_.audit, asked, *judged, shown->key.principal, asked.id());
  if (!decided) co_return transport::answer_error(asked.exchange, decided.error());
  if (!decided->by_this) {
    const ApprovalRecord& record = decided->record;
    std::string why = "it is " + std::string(store::state_of(record)) + " already";
    if (!record.decided_by.empty()) why += ", by " + record.decided_by;
    co_return answer_conflict(asked.exchange, record, why);
  }
  const ApprovalRecord& record = decided->record;
  services_.audit.note(store::AuditEvent::Approval, {{"id", record.id},
                                                     {"by", record.decided_by},
                                                     {"principal", record.key.principal},
                                                     {"tool", record.key.tool},
                                                     {"args_sha256", approval::digest_text(record)},
                                                     {"outcome", store::state_of(record)}});
  transport::answer_json(
      asked.exchange, 200,
      approval::as_json(*decided, permission::stored_rules_json(decided->rules),
                        approval::build_warning(record, is_served(services_, record))));
}

}  // namespace host::rest
