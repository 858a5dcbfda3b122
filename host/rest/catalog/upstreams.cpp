#include "rest/catalog/upstreams.h"

#include <algorithm>

#include "rest/wire/body.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

struct ToAccept {
  std::string tool;    // empty: all that waits
  std::string digest;  // of what the sender saw
};

Result<ToAccept> accept_in(const Asked& asked) {
  HOST_TRY_ASSIGN(const Body body, Body::read(asked.http()));
  Members& root = body.root();
  ToAccept wanted{std::string(root.text_if("tool").value_or("")), std::string(root.text("digest"))};
  HOST_TRY(body.end());
  return wanted;
}

Result<std::string> address_in(const Asked& asked) {
  HOST_TRY_ASSIGN(const Body body, Body::read(asked.http()));
  std::string address(body.root().text("url"));
  HOST_TRY(body.end());
  return address;
}

// The upstream may have changed it again since. Where nothing waits, it is not found.
bool is_another(const upstream::Status& status, const ToAccept& wanted) {
  if (wanted.tool.empty()) {
    const bool is_only = status.held.size() == 1 && status.held.front().digest == wanted.digest;
    return !status.held_digest.empty() && status.held_digest != wanted.digest && !is_only;
  }
  // Hosts with one store can hold several definitions of a tool.
  const auto holds = [&](const auto& fits) {
    return std::any_of(status.held.begin(), status.held.end(), [&](const auto& held) {
      return held.tool == wanted.tool && fits(held.digest);
    });
  };
  return holds([](const auto&) { return true; }) &&
         !holds([&](const std::string& digest) { return digest == wanted.digest; });
}

}  // namespace

awaitable<void> UpstreamRoutes::list(const Asked& asked) {
  if (answers_head(asked)) co_return;
  std::string out = R"({"upstreams":[)";
  const std::vector<upstream::Status> all = co_await services_.upstreams.full_status();
  for (const upstream::Status& status : all) {
    if (out.back() != '[') out += ',';
    out += upstream::as_json(status);
  }
  transport::answer_json(asked.exchange, 200, out + "]}");
  co_return;
}

awaitable<void> UpstreamRoutes::restart(const Asked& asked) {
  const Result<void> done = co_await services_.upstreams.restart(asked.id());
  co_await answer(asked, "upstream-restart", asked.id(), done);
}

awaitable<void> UpstreamRoutes::refresh(const Asked& asked) {
  const Result<void> done = co_await services_.upstreams.refresh(asked.id());
  co_await answer(asked, "upstream-refresh", asked.id(), done);
}

awaitable<void> UpstreamRoutes::accept(const Asked& asked) {
  const auto wanted = accept_in(asked);
  if (!wanted) co_return transport::answer_error(asked.exchange, wanted.error());
  const auto status = co_await services_.upstreams.full_status_of(asked.id());
  if (status && is_another(*status, *wanted)) {
    co_return transport::answer_error(
        asked.exchange, transport::Problem::Conflict,
        "what waits now has another digest: GET /v1/upstreams shows it");
  }
  const std::string about = wanted->tool.empty() ? asked.id() : asked.id() + "/" + wanted->tool;
  const Result<void> done =
      co_await services_.upstreams.accept(asked.id(), wanted->tool, wanted->digest, way_of(asked));
  if (done && services_.tell_other_hosts)
    services_.tell_other_hosts("upstream-accept", about + " " + wanted->digest, way_of(asked));
  co_await answer(asked, "upstream-accept", about, done, wanted->digest);
}

awaitable<void> UpstreamRoutes::log_in(const Asked& asked) {
  const auto login = services_.upstreams.login_at(asked.id());
  if (!login) co_return transport::answer_error(asked.exchange, login.error());
  const auto begun = co_await (*login)->begin();
  note(asked, "upstream-login", asked.id(), begun ? Result<void>() : begun.error());
  if (!begun) co_return transport::answer_error(asked.exchange, begun.error());
  transport::answer_json(asked.exchange, 200, upstream::oauth::as_json(*begun));
}

awaitable<void> UpstreamRoutes::finish_login(const Asked& asked) {
  const auto address = address_in(asked);
  if (!address) co_return transport::answer_error(asked.exchange, address.error());
  const auto login = services_.upstreams.login_at(asked.id());
  if (!login) co_return transport::answer_error(asked.exchange, login.error());
  const Result<void> done = co_await (*login)->answer(*address);
  co_await answer(asked, "upstream-login-answer", asked.id(), done);
}

awaitable<void> UpstreamRoutes::log_out(const Asked& asked) {
  const auto login = services_.upstreams.login_at(asked.id());
  if (!login) co_return transport::answer_error(asked.exchange, login.error());
  const Result<void> done = co_await (*login)->log_out();
  co_await answer(asked, "upstream-logout", asked.id(), done);
}

void UpstreamRoutes::note(const Asked& asked, std::string_view action, const std::string& about,
                          const Result<void>& done, std::string_view digest) {
  services_.audit.note(store::AuditEvent::Upstream,
                       {{"upstream", about},
                        {"digest", digest},
                        {"action", std::string(action)},
                        {"by", way_of(asked)},
                        {"outcome", done ? "done" : "failed"},
                        {"reason", done ? std::string() : done.error().message}});
  services_.audit.flush();
}

awaitable<void> UpstreamRoutes::answer(const Asked& asked, std::string action, std::string about,
                                       Result<void> done, std::string digest) {
  note(asked, action, about, done, digest);
  if (!done) co_return transport::answer_error(asked.exchange, done.error());
  const auto status = co_await services_.upstreams.full_status_of(asked.id());
  if (!status) co_return transport::answer_error(asked.exchange, status.error());
  transport::answer_json(asked.exchange, 200, upstream::as_json(*status));
}

}  // namespace host::rest
