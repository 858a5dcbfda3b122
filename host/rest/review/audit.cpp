#include "rest/review/audit.h"

#include "base/on_executor.h"
#include "json/object_text.h"
#include "rest/wire/parameters.h"
#include "store/audit/events.h"
#include "store/audit/table.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

constexpr std::uint32_t kMostLines = 1000;
constexpr std::uint64_t kMostFilled = 256u << 20u;  // of the file, for one answer: some seconds

Result<store::AuditQuery> read_query(std::string_view text) {
  HOST_TRY_ASSIGN(const Parameters parameters,
                  read_parameters(text, {"principal", "agent", "tool", "outcome", "event", "since",
                                         "until", "before", "limit"}));
  const auto word = [&parameters](std::string_view name) {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string() : found->second;
  };
  store::AuditQuery query;
  query.principal = word("principal");
  query.agent = word("agent");
  query.tool = word("tool");
  query.outcome = word("outcome");
  query.event = word("event");
  HOST_TRY(store::check_audit_event(query.event));
  query.since = word("since");
  query.until = word("until");
  HOST_TRY_ASSIGN(query.limit, read_limit(parameters, kMostLines, 100));
  HOST_TRY_ASSIGN(query.before, read_number(parameters, "before"));
  return query;
}

}  // namespace

awaitable<void> AuditRoutes::list(const Asked& asked) {
  const auto query = read_query(asked.exchange.request().query());
  if (!query) co_return transport::answer_error(asked.exchange, query.error());
  if (answers_head(asked)) co_return;
  store::AuditFound lines;
  if (!services_.kept_audit.file.empty()) {
    services_.audit.flush();
    if (!reader_) reader_.emplace(1);
    std::function<Result<store::AuditFound>()> search = [kept = services_.kept_audit,
                                                         wanted = *query] {
      return store::search_audit(kept.file, kept.table_rows, wanted, kMostFilled);
    };
    auto found =
        co_await on_executor<Result<store::AuditFound>>(reader_->get_executor(), std::move(search));
    if (!found) co_return transport::answer_error(asked.exchange, found.error());
    lines = *std::move(found);
  }
  std::string out = "{\"lines\":[";
  for (const std::string& line : lines.lines) {
    if (out.back() != '[') out += ',';
    out += line;
  }
  out += std::string("],\"whole\":") + (lines.whole ? "true" : "false");
  if (lines.older) json::add_text(out, "older", std::to_string(*lines.older));
  transport::answer_json(asked.exchange, 200, out + "}");
}

}  // namespace host::rest
