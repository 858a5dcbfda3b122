#include "rest/feed/session_feed_routes.h"

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "json/object_text.h"
#include "rest/feed/session_log.h"
#include "rest/route/session_access.h"
#include "rest/wire/parameters.h"
#include "session/sessions.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

constexpr std::uint32_t kMostResults = 1000;
constexpr std::size_t kResultBytes = 4 << 20;  // of the records of one answer, but for the last one

// The number after which a client goes on: of its last event, or of the query. 0: from the start.
Result<std::uint64_t> read_start(const Asked& asked) {
  HOST_TRY_ASSIGN(const Parameters given, read_parameters(asked.http().query(), {"after"}));
  HOST_TRY_ASSIGN(const std::optional<std::uint64_t> after, read_number(given, "after"));
  const std::string_view last = asked.http().header("Last-Event-ID");
  if (last.empty()) return after.value_or(0);
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(last.data(), last.data() + last.size(), number);
  if (fault == std::errc() && end == last.data() + last.size()) return number;
  return Error{ErrorKind::InvalidArgument, "Last-Event-ID: expected the id of an event"};
}

std::string results_json(const LogPage& page) {
  std::string out = R"({"results":[)";
  for (const LogEntry& entry : page.entries) {
    if (!entry.record || !entry.record->is_over()) continue;  // it was removed meanwhile
    if (out.back() != '[') out += ',';
    out += result_json(entry);
  }
  out += ']';
  json::add_member(out, "next", std::to_string(page.next));
  json::add_bool(out, "more", page.more);
  if (page.lost) json::add_bool(out, "lost", true);
  return out + "}";
}

}  // namespace

SessionFeedRoutes::SessionFeedRoutes(const Services& services)
    : services_(services),
      feed_(std::make_shared<SessionFeed>(
          SessionFeed::Parts{services.io, services.events, services.desk, services.records})) {
  const std::weak_ptr<SessionFeed> weak = feed_;
  services.records.on_transition([weak](const tool::Transition& transition) {
    if (const auto feed = weak.lock()) feed->changed(transition);
  });
  services.sessions->on_end([weak](const session::SessionPtr& session) {
    if (const auto feed = weak.lock()) feed->ended(session->id);
  });
  services.news.listen(feed_.get());
}

SessionFeedRoutes::~SessionFeedRoutes() {
  services_.news.listen(nullptr);
}

awaitable<void> SessionFeedRoutes::follow(const Asked& asked) {
  const auto start = read_start(asked);
  if (!start) co_return transport::answer_error(asked.exchange, start.error());
  const session::SessionPtr session = own_session(services_, asked, asked.id());
  if (!session) co_return no_session(asked);
  if (answers_head(asked, "text/event-stream")) co_return;
  auto admitted = [&authenticator = services_.authenticator, visitor = asked.visitor] {
    return authenticator.still_admits(visitor);
  };
  const Events::Opened opened = feed_->open(asked.exchange, asked.visitor.principal,
                                            std::move(admitted), session->id, *start);
  if (opened != Events::Opened::Yes) answer_too_many_streams(asked.exchange, opened);
}

awaitable<void> SessionFeedRoutes::results(const Asked& asked) {
  const auto given = read_parameters(asked.http().query(), {"after", "limit"});
  if (!given) co_return transport::answer_error(asked.exchange, given.error());
  const auto after = read_number(*given, "after");
  if (!after) co_return transport::answer_error(asked.exchange, after.error());
  const auto limit = read_limit(*given, kMostResults, 100);
  if (!limit) co_return transport::answer_error(asked.exchange, limit.error());
  const session::SessionPtr session = own_session(services_, asked, asked.id());
  if (!session) co_return no_session(asked);
  if (!services_.desk) {
    co_return transport::answer_error(asked.exchange, transport::Problem::Unavailable,
                                      "results need a store: set store.file");
  }
  if (answers_head(asked)) co_return;
  store::Desk::Act<LogPage> act = [id = session->id, from = after->value_or(0),
                                   most = *limit](store::Store& store) {
    return read_log(store, LogPart::Ends, id, from, most, kResultBytes);
  };
  const auto page = co_await services_.desk->ask<LogPage>(std::move(act));
  if (!page) co_return transport::answer_error(asked.exchange, page.error());
  transport::answer_json(asked.exchange, 200, results_json(*page));
}

}  // namespace host::rest
