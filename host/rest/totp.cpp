// /v1/totp: one-time codes of who asks, and of everybody for who has the admin scope. The secret
// and the recovery codes are told once each, to the principal alone.
#include "identity/code_audit.h"
#include "identity/enrolments.h"
#include "identity/qr.h"
#include "identity/totp_json.h"
#include "json/json.h"
#include "json/object_text.h"
#include "rest/api.h"
#include "transport/json_answer.h"

namespace host::rest {
namespace {

using boost::asio::awaitable;

Error no_codes_are_kept() {
  return {ErrorKind::NotFound, "this host keeps no one-time codes: store.file is empty"};
}

// {NAME: TEXT}, and nothing else.
Result<std::string> read_only_member(const transport::HttpRequest& http, std::string_view name) {
  const Error wrong{ErrorKind::InvalidArgument,
                    "expected {\"" + std::string(name) + "\": \"...\"} as application/json"};
  if (!transport::is_json_type(http.header("Content-Type"))) return wrong;
  const auto tree = json::parse(http.body());
  if (!tree || !tree->root().IsObject() || tree->root().MemberCount() != 1) return wrong;
  const auto& member = *tree->root().MemberBegin();
  if (json::text(member.name) != name || !member.value.IsString()) return wrong;
  return std::string(json::text(member.value));
}

std::string enrolment_json(const std::string& principal, const identity::Enrolment& made) {
  std::string out = "{";
  json::add_text(out, "principal", principal);
  json::add_text(out, "secret", made.secret);
  json::add_text(out, "uri", made.uri);
  json::add_member(out, "qr", json::list_of(identity::qr_rows(made.uri)));
  return out + "}";
}

std::string recovery_json(const std::vector<std::string>& codes) {
  std::string out = "{";
  json::add_member(out, "recovery", json::list_of(codes));
  return out + "}";
}

}  // namespace

void Api::note_codes(const Asked& asked, const std::string& principal, std::string_view outcome) {
  services_.audit.note(
      store::AuditEvent::Totp,
      {{"principal", principal}, {"by", way_of(asked.visitor)}, {"outcome", outcome}});
  events_->changed("totp");
}

void Api::note_judged(const Asked& asked, const identity::JudgedCode& judged,
                      std::string_view principal, std::string_view approval) {
  const std::string by = way_of(asked.visitor);
  const std::string address(asked.exchange.request().remote());
  identity::CodeGiver giver;
  giver.principal = principal;
  giver.by = by;
  giver.address = address;
  giver.approval = approval;
  identity::note_refused_code(services_.audit, judged, giver);
}

void Api::refuse_code(const Asked& asked, const Error& error, const identity::JudgedCode& judged) {
  if (error.kind == ErrorKind::Denied) note_codes(asked, asked.visitor.principal.name, "denied");
  note_judged(asked, judged, asked.visitor.principal.name);
  transport::answer_error(asked.exchange, error);
}

awaitable<void> Api::show_codes(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  const std::string& principal = asked.visitor.principal.name;
  const auto record = co_await services_.codes->find(principal);
  if (!record) co_return transport::answer_error(asked.exchange, record.error());
  if (*record) {
    co_return transport::answer_json(asked.exchange, 200,
                                     identity::as_json(**record, services_.clock.wall()));
  }
  std::string out = "{";
  json::add_text(out, "principal", principal);
  json::add_text(out, "state", "none");
  transport::answer_json(asked.exchange, 200, out + "}");
}

awaitable<void> Api::enroll_codes(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  const std::string& principal = asked.visitor.principal.name;
  const auto made = co_await services_.codes->enroll(principal);
  if (!made) co_return transport::answer_error(asked.exchange, made.error());
  if (!*made) {
    co_return transport::answer_error(asked.exchange, 409, "conflict",
                                      "\"" + principal +
                                          "\" has one-time codes that count: remove them first, "
                                          "which takes a code");
  }
  note_codes(asked, principal, "enrolled");
  transport::answer_json(asked.exchange, 200, enrolment_json(principal, **made));
}

awaitable<void> Api::confirm_codes(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  auto code = read_only_member(asked.exchange.request(), "code");
  if (!code) co_return transport::answer_error(asked.exchange, code.error());
  const std::string& principal = asked.visitor.principal.name;
  const auto judged = std::make_shared<identity::JudgedCode>();
  const auto recovery = co_await services_.codes->confirm(principal, *std::move(code), judged);
  if (!recovery) co_return refuse_code(asked, recovery.error(), *judged);
  note_codes(asked, principal, "confirmed");
  transport::answer_json(asked.exchange, 200, recovery_json(*recovery));
}

awaitable<void> Api::renew_recovery(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  auto code = read_only_member(asked.exchange.request(), "code");
  if (!code) co_return transport::answer_error(asked.exchange, code.error());
  const std::string& principal = asked.visitor.principal.name;
  const auto judged = std::make_shared<identity::JudgedCode>();
  const auto recovery = co_await services_.codes->renew(principal, *std::move(code), judged);
  if (!recovery) co_return refuse_code(asked, recovery.error(), *judged);
  note_codes(asked, principal, "renewed");
  transport::answer_json(asked.exchange, 200, recovery_json(*recovery));
}

awaitable<void> Api::remove_codes(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  auto code = read_only_member(asked.exchange.request(), "code");
  if (!code) co_return transport::answer_error(asked.exchange, code.error());
  const std::string& principal = asked.visitor.principal.name;
  const auto judged = std::make_shared<identity::JudgedCode>();
  const auto removed = co_await services_.codes->remove(principal, *std::move(code), judged);
  if (!removed) co_return refuse_code(asked, removed.error(), *judged);
  note_codes(asked, principal, "removed");
  asked.exchange.respond(204, {}, {}, {});
}

awaitable<void> Api::list_enrolled(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  const auto records = co_await services_.codes->list();
  if (!records) co_return transport::answer_error(asked.exchange, records.error());
  const WallTime now = services_.clock.wall();
  std::string out = "{\"principals\":[";
  for (const store::TotpRecord& record : *records) {
    if (out.back() != '[') out += ',';
    out += identity::as_json(record, now);
  }
  transport::answer_json(asked.exchange, 200, out + "]}");
}

awaitable<void> Api::unlock_enrolled(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  const auto act = read_only_member(asked.exchange.request(), "act");
  if (!act) co_return transport::answer_error(asked.exchange, act.error());
  if (*act != "unlock") {
    co_return transport::answer_error(asked.exchange, 422, "invalid_argument",
                                      "/act: expected \"unlock\"");
  }
  const auto done = co_await services_.codes->unlock(asked.id);
  answer_about_enrolled(asked, done, "unlocked");
}

awaitable<void> Api::forget_enrolled(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  const auto done = co_await services_.codes->forget(asked.id);
  answer_about_enrolled(asked, done, "removed");
}

void Api::answer_about_enrolled(const Asked& asked, const Result<bool>& done,
                                std::string_view outcome) {
  if (!done) return transport::answer_error(asked.exchange, done.error());
  if (!*done) {
    return transport::answer_error(asked.exchange, 404, "not_found",
                                   "\"" + asked.id.substr(0, 80) + "\" has no one-time codes");
  }
  note_codes(asked, asked.id, outcome);
  asked.exchange.respond(204, {}, {}, {});
}

}  // namespace host::rest
