#include "rest/route/events.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "json/object_text.h"
#include "transport/http/json_answer.h"

namespace host::rest {

void Events::limit(std::size_t per_principal, OnRefusal on_refusal) {
  most_per_principal_ = per_principal;
  on_refusal_ = std::move(on_refusal);
}

Events::Opened Events::put(transport::HttpExchange& exchange, Open open) {
  // A stream that was closed without a disconnect takes no place.
  std::erase_if(streams_, [](const auto& one) { return !one.second.stream->open(); });
  const auto own = std::count_if(streams_.begin(), streams_.end(), [&](const auto& one) {
    return one.second.principal.name == open.principal.name;
  });
  if (static_cast<std::size_t>(own) >= most_per_principal_) {
    if (on_refusal_) on_refusal_("limits.event_streams_per_principal");
    return Opened::TooManyOfPrincipal;
  }
  if (streams_.size() >= kMostStreams) {
    if (on_refusal_) on_refusal_("event streams");
    return Opened::TooMany;
  }
  const std::size_t number = ++last_;
  exchange.on_disconnect([weak = weak_from_this(), number] {
    if (const auto self = weak.lock()) self->streams_.erase(number);
  });
  open.stream = exchange.stream({});
  open.stream->comment("open");
  streams_.emplace(number, std::move(open));
  return Opened::Yes;
}

Events::Opened Events::open(transport::HttpExchange& exchange, identity::Principal principal,
                            std::shared_ptr<const void> holds, std::function<bool()> admitted) {
  return put(exchange, {std::move(principal), nullptr, std::move(holds), std::move(admitted)});
}

Events::Opened Events::open_own(transport::HttpExchange& exchange, identity::Principal principal,
                                std::shared_ptr<const void> holds, std::function<bool()> admitted,
                                std::shared_ptr<transport::EventStream>& stream) {
  const Opened opened = put(exchange, {std::move(principal), nullptr, std::move(holds),
                                       std::move(admitted), /*hears_changes=*/false});
  if (opened == Opened::Yes) stream = streams_.at(last_).stream;
  return opened;
}

void Events::close(const std::shared_ptr<transport::EventStream>& stream) {
  stream->close();
  std::erase_if(streams_, [&stream](const auto& one) { return one.second.stream == stream; });
}

void Events::changed(const std::string& what, identity::Scope needed) {
  if (streams_.empty()) return;
  news_.insert_or_assign(what, needed);
  if (std::exchange(will_tell_, true)) return;
  boost::asio::post(io_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->tell();
  });
}

// What changes during the pause is told at its end.
void Events::rest() {
  pause_.expires_after(kEvery);
  pause_.async_wait([weak = weak_from_this()](boost::system::error_code ended) {
    const auto self = weak.lock();
    if (!self) return;
    self->will_tell_ = false;
    if (ended || self->news_.empty()) return;
    self->will_tell_ = true;
    self->tell();
  });
}

void Events::tell() {
  const auto news = std::exchange(news_, {});
  rest();
  close_ended();
  std::erase_if(streams_, [&news](const auto& one) {
    if (!one.second.hears_changes) return false;
    std::vector<std::string> heard;
    for (const auto& [what, needed] : news) {
      if (one.second.principal.scopes.has(needed)) heard.push_back(what);
    }
    if (heard.empty()) return false;
    return !one.second.stream->send(R"({"changed":)" + json::list_of(heard) + "}");
  });
}

void Events::close_ended() {
  std::erase_if(streams_, [](const auto& one) {
    if (one.second.admitted()) return false;
    one.second.stream->close();
    return true;
  });
}

void Events::close() {
  pause_.cancel();
  for (const auto& [number, open] : std::exchange(streams_, {})) open.stream->close();
}

void answer_too_many_streams(transport::HttpExchange& exchange, Events::Opened opened) {
  const bool own = opened == Events::Opened::TooManyOfPrincipal;
  using transport::Problem;
  transport::answer_error(exchange, own ? Problem::LimitReached : Problem::Unavailable,
                          own ? "too many event streams of this principal are "
                                "open (limits.event_streams_per_principal)"
                              : "too many event streams are open",
                          {{"Retry-After", "1"}});
}

}  // namespace host::rest
