#include "rest/catalog/configuration.h"

#include "rest/wire/body.h"
#include "rest/wire/parameters.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

// There is nothing to choose. A body may be absent, or empty.
Result<void> check_plain(const Asked& asked) {
  if (const auto given = read_parameters(asked.http().query(), {}); !given) return given.error();
  if (asked.http().body().empty()) return {};
  HOST_TRY_ASSIGN(const Body body, Body::read(asked.http()));
  return body.end();
}

}  // namespace

awaitable<void> ConfigurationRoutes::show(const Asked& asked) {
  if (!answers_head(asked))
    transport::answer_json(asked.exchange, 200, config::as_json(services_.configuration.report()));
  co_return;
}

awaitable<void> ConfigurationRoutes::reload(const Asked& asked) {
  if (const auto plain = check_plain(asked); !plain)
    co_return transport::answer_error(asked.exchange, plain.error());
  const config::ReloadReport report = co_await services_.configuration.reload(way_of(asked));
  if (report.faults.empty())
    co_return transport::answer_json(asked.exchange, 200, config::as_json(report));
  transport::answer_error(
      asked.exchange, transport::Problem::InvalidArgument,
      "the configuration file is not valid, so nothing was changed: " + report.first_fault());
}

}  // namespace host::rest
