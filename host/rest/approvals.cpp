// /v1/approvals: what waits for a person, and the person's answer.
#include "approval/approval_json.h"
#include "json/json.h"
#include "json/object_text.h"
#include "permission/decision/stored_rules.h"
#include "rest/api.h"
#include "rest/parameters.h"
#include "router/result_step.h"
#include "transport/json_answer.h"

namespace host::rest {
namespace {

using boost::asio::awaitable;
using store::ApprovalRecord;

constexpr std::uint32_t kMostListed = 1000;

struct Wanted {
  bool pending_only = true;
  std::uint32_t limit = 100;
  std::string before;  // an approval: the list goes on with older ones
};

Result<Wanted> read_wanted(std::string_view query) {
  HOST_TRY_ASSIGN(const Parameters parameters,
                  read_parameters(query, {"state", "limit", "before"}));
  Wanted wanted;
  if (const auto state = parameters.find("state"); state != parameters.end()) {
    if (state->second != "pending" && state->second != "all")
      return Error{ErrorKind::InvalidArgument,
                   "state: expected pending or all, not \"" + state->second.substr(0, 80) + "\""};
    wanted.pending_only = state->second == "pending";
  }
  HOST_TRY_ASSIGN(wanted.limit, read_limit(parameters, kMostListed, wanted.limit));
  if (const auto before = parameters.find("before"); before != parameters.end())
    wanted.before = before->second;
  return wanted;
}

struct Verdict {
  store::ApprovalDecision decision;
  std::string digest;
  std::string code;
};

Result<Verdict> read_verdict(std::string_view body) {
  const auto invalid = [](std::string why) {
    return Error{ErrorKind::InvalidArgument, std::move(why)};
  };
  const auto tree = json::parse(body);
  if (!tree) return invalid("not JSON: " + tree.error().message);
  if (!tree->root().IsObject()) return invalid("expected a JSON object");
  Verdict verdict;
  bool decided = false;
  for (const auto& member : tree->root().GetObject()) {
    const std::string_view name = json::text(member.name);
    if (name == "always") {
      if (member.value.IsBool()) {
        if (member.value.GetBool()) verdict.decision.always = store::Reach::Principal;
        continue;
      }
      verdict.decision.always = store::reach_from(json::text(member.value));
      if (!verdict.decision.always)
        return invalid(
            R"(/always: expected true, false, "principal", "session", "agent" or "host")");
      continue;
    }
    if (name == "arguments") {
      if (!member.value.IsObject()) return invalid("/arguments: expected an object");
      verdict.decision.edited = json::write(member.value);
      continue;
    }
    if (name != "decision" && name != "digest" && name != "note" && name != "code")
      return invalid("unknown member \"" + std::string(name.substr(0, 80)) + "\"");
    if (!member.value.IsString()) return invalid("/" + std::string(name) + ": expected a string");
    const std::string_view text = json::text(member.value);
    if (name == "digest") verdict.digest = text;
    if (name == "code") verdict.code = text;
    if (name == "note") verdict.decision.note = text;
    if (name != "decision") continue;
    if (text != "approve" && text != "reject")
      return invalid("/decision: expected \"approve\" or \"reject\"");
    decided = true;
    verdict.decision.approved = text == "approve";
  }
  if (!decided) return invalid("/decision is missing: \"approve\" or \"reject\"");
  if (!verdict.decision.approved && verdict.decision.always)
    return invalid("/always: only a yes makes rules");
  if (!verdict.decision.approved && !verdict.decision.edited.empty())
    return invalid("/arguments: a no has none");
  if (verdict.decision.approved && verdict.digest.empty())
    return invalid("/digest is missing: a yes is to the arguments that were shown");
  return verdict;
}

// Somebody else was first, or what was shown is not what stands there.
void answer_conflict(transport::HttpExchange& exchange, const ApprovalRecord& record,
                     const std::string& why) {
  std::string error = transport::error_json("conflict", why);
  error.pop_back();
  transport::answer_json(exchange, 409, error + ",\"approval\":" + approval::as_json(record) + "}");
}

// Whether a new call of this would run in the build that asked.
bool is_served(const router::Router& router, const ApprovalRecord& record) {
  const auto route = router.resolve({record.key.principal, record.key.agent}, record.key.tool);
  return route && router::build_of(*route) == record.key.build &&
         route->tool->digest() == record.key.definition;
}

Error nothing_is_stored() {
  return {ErrorKind::NotFound, "this host keeps no approvals and no rules: store.file is empty"};
}

}  // namespace

awaitable<void> Api::list_approvals(const Asked& asked) {
  const auto wanted = read_wanted(asked.exchange.request().query());
  if (!wanted) co_return transport::answer_error(asked.exchange, wanted.error());
  std::vector<ApprovalRecord> records;
  if (services_.approvals) {
    auto found = co_await services_.approvals->list(wanted->pending_only, wanted->limit + 1,
                                                    wanted->before);  // one more: are there more
    if (!found) co_return transport::answer_error(asked.exchange, found.error());
    records = *std::move(found);
  }
  const bool more = records.size() > wanted->limit;
  if (more) records.resize(wanted->limit);
  std::string out = "{";
  json::add_text(out, "now", to_rfc3339(services_.clock.wall()));
  out += ",\"approvals\":[";
  for (const ApprovalRecord& record : records) {
    if (out.back() != '[') out += ',';
    out += approval::as_json(record);
  }
  out += "]";
  if (more) json::add_text(out, "older", records.back().id);
  transport::answer_json(asked.exchange, 200, out + "}");
}

awaitable<void> Api::show_approval(const Asked& asked) {
  if (!services_.approvals) co_return transport::answer_error(asked.exchange, nothing_is_stored());
  const auto record = co_await services_.approvals->find(asked.id);
  if (!record) co_return transport::answer_error(asked.exchange, record.error());
  transport::answer_json(asked.exchange, 200, approval::as_json(*record));
}

awaitable<void> Api::decide_approval(const Asked& asked) {
  if (!services_.approvals) co_return transport::answer_error(asked.exchange, nothing_is_stored());
  const transport::HttpRequest& http = asked.exchange.request();
  if (!transport::is_json_type(http.header("Content-Type"))) {
    co_return transport::answer_error(asked.exchange, 415, "invalid_argument",
                                      "Content-Type must be application/json");
  }
  auto verdict = read_verdict(http.body());
  if (!verdict) co_return transport::answer_error(asked.exchange, verdict.error());
  const auto shown = co_await services_.approvals->find(asked.id);
  if (!shown) co_return transport::answer_error(asked.exchange, shown.error());
  if (!verdict->digest.empty() && verdict->digest != approval::digest_text(*shown)) {
    co_return answer_conflict(asked.exchange, *shown,
                              "the digest is not that of these arguments: look at them again");
  }
  verdict->decision.by = way_of(asked.visitor);
  const auto judged = std::make_shared<identity::JudgedCode>();
  const auto decided = co_await services_.approvals->decide(asked.id, verdict->decision,
                                                            std::move(verdict->code), judged);
  note_judged(asked, *judged, shown->key.principal, asked.id);
  if (!decided) co_return transport::answer_error(asked.exchange, decided.error());
  if (!decided->by_this) {
    const ApprovalRecord& record = decided->record;
    std::string why = "it is " + std::string(store::to_string(record.state)) + " already";
    if (!record.decided_by.empty()) why += ", by " + record.decided_by;
    co_return answer_conflict(asked.exchange, record, why);
  }
  const ApprovalRecord& record = decided->record;
  services_.audit.note(store::AuditEvent::Approval, {{"id", record.id},
                                                     {"by", record.decided_by},
                                                     {"principal", record.key.principal},
                                                     {"tool", record.key.tool},
                                                     {"args_sha256", approval::digest_text(record)},
                                                     {"outcome", store::to_string(record.state)}});
  transport::answer_json(
      asked.exchange, 200,
      approval::as_json(*decided, permission::stored_rules_json(decided->rules),
                        approval::build_warning(record, is_served(services_.router, record))));
}

awaitable<void> Api::list_rules(const Asked& asked) {
  std::vector<store::RuleRecord> rules;
  if (services_.approvals) {
    auto found = co_await services_.approvals->rules();
    if (!found) co_return transport::answer_error(asked.exchange, found.error());
    rules = *std::move(found);
  }
  transport::answer_json(asked.exchange, 200, permission::rules_json(services_.rules, rules));
}

awaitable<void> Api::remove_rule(const Asked& asked) {
  if (!services_.approvals) co_return transport::answer_error(asked.exchange, nothing_is_stored());
  const auto removed = co_await services_.approvals->remove_rule(asked.id);
  if (!removed) co_return transport::answer_error(asked.exchange, removed.error());
  services_.audit.note(store::AuditEvent::Rule, {{"id", asked.id},
                                                 {"principal", removed->principal},
                                                 {"agent", removed->agent},
                                                 {"session", removed->session},
                                                 {"by", way_of(asked.visitor)},
                                                 {"outcome", "removed"}});
  asked.exchange.respond(204, {}, {}, {});
}

}  // namespace host::rest
