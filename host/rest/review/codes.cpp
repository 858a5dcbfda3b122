#include "rest/review/codes.h"

#include "identity/enrolments.h"
#include "identity/qr.h"
#include "identity/totp_json.h"
#include "json/json.h"
#include "json/object_text.h"
#include "rest/route/judged_code.h"
#include "rest/wire/body.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

Error no_codes_are_kept() {
  return {ErrorKind::NotFound, "this host keeps no one-time codes: store.file is empty"};
}

Result<std::string> read_code(const transport::HttpRequest& http) {
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  std::string code(body.root().text("code"));
  HOST_TRY(body.end());
  return code;
}

Result<void> read_unlock(const transport::HttpRequest& http) {
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  body.root().word("act", {"unlock"});
  return body.end();
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

void CodeRoutes::note(const Asked& asked, const std::string& principal, std::string_view outcome) {
  services_.audit.note(store::AuditEvent::Totp,
                       {{"principal", principal}, {"by", way_of(asked)}, {"outcome", outcome}});
  services_.events->changed("totp");
}

void CodeRoutes::refuse(const Asked& asked, const Error& error,
                        const identity::JudgedCode& judged) {
  if (error.kind == ErrorKind::Denied) note(asked, asked.visitor.principal.name, "denied");
  note_judged(services_.audit, asked, judged, asked.visitor.principal.name);
  transport::answer_error(asked.exchange, error);
}

awaitable<void> CodeRoutes::show(const Asked& asked) {
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

awaitable<void> CodeRoutes::enroll(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  const std::string& principal = asked.visitor.principal.name;
  const auto made = co_await services_.codes->enroll(principal);
  if (!made) co_return transport::answer_error(asked.exchange, made.error());
  if (!*made) {
    co_return transport::answer_error(asked.exchange, transport::Problem::Conflict,
                                      "\"" + principal +
                                          "\" has one-time codes that count: remove them first, "
                                          "which takes a code");
  }
  note(asked, principal, "enrolled");
  transport::answer_json(asked.exchange, 200, enrolment_json(principal, **made));
}

awaitable<void> CodeRoutes::confirm(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  auto code = read_code(asked.http());
  if (!code) co_return transport::answer_error(asked.exchange, code.error());
  const std::string& principal = asked.visitor.principal.name;
  const auto judged = std::make_shared<identity::JudgedCode>();
  const auto recovery = co_await services_.codes->confirm(principal, *std::move(code), judged);
  if (!recovery) co_return refuse(asked, recovery.error(), *judged);
  note(asked, principal, "confirmed");
  transport::answer_json(asked.exchange, 200, recovery_json(*recovery));
}

awaitable<void> CodeRoutes::renew_recovery(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  auto code = read_code(asked.http());
  if (!code) co_return transport::answer_error(asked.exchange, code.error());
  const std::string& principal = asked.visitor.principal.name;
  const auto judged = std::make_shared<identity::JudgedCode>();
  const auto recovery = co_await services_.codes->renew(principal, *std::move(code), judged);
  if (!recovery) co_return refuse(asked, recovery.error(), *judged);
  note(asked, principal, "renewed");
  transport::answer_json(asked.exchange, 200, recovery_json(*recovery));
}

awaitable<void> CodeRoutes::remove(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  auto code = read_code(asked.http());
  if (!code) co_return transport::answer_error(asked.exchange, code.error());
  const std::string& principal = asked.visitor.principal.name;
  const auto judged = std::make_shared<identity::JudgedCode>();
  const auto removed = co_await services_.codes->remove(principal, *std::move(code), judged);
  if (!removed) co_return refuse(asked, removed.error(), *judged);
  note(asked, principal, "removed");
  asked.exchange.respond(204, {}, {}, {});
}

awaitable<void> CodeRoutes::list_enrolled(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  if (answers_head(asked)) co_return;
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

awaitable<void> CodeRoutes::unlock(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  const auto act = read_unlock(asked.http());
  if (!act) co_return transport::answer_error(asked.exchange, act.error());
  const auto done = co_await services_.codes->unlock(asked.id());
  answer_about_enrolled(asked, done, "unlocked");
}

awaitable<void> CodeRoutes::forget(const Asked& asked) {
  if (!services_.codes) co_return transport::answer_error(asked.exchange, no_codes_are_kept());
  const auto done = co_await services_.codes->forget(asked.id());
  answer_about_enrolled(asked, done, "removed");
}

void CodeRoutes::answer_about_enrolled(const Asked& asked, const Result<bool>& done,
                                       std::string_view outcome) {
  if (!done) return transport::answer_error(asked.exchange, done.error());
  if (!*done) {
    return transport::answer_error(asked.exchange, transport::Problem::NotFound,
                                   "\"" + asked.id().substr(0, 80) + "\" has no one-time codes");
  }
  note(asked, asked.id(), outcome);
  asked.exchange.respond(204, {}, {}, {});
}

}  // namespace host::rest
