#include "rest/events.h"

#include <boost/asio/post.hpp>

#include <utility>
#include <vector>

#include "json/object_text.h"

namespace host::rest {

bool Events::open(transport::HttpExchange& exchange, identity::Principal principal,
                  std::shared_ptr<const void> holds) {
  if (streams_.size() >= kMostStreams) return false;
  const std::size_t number = ++last_;
  exchange.on_disconnect([weak = weak_from_this(), number] {
    if (const auto self = weak.lock()) self->streams_.erase(number);
  });
  auto stream = exchange.stream({{"Cache-Control", "no-store"}});
  stream->comment("open");
  streams_.emplace(number, Open{std::move(principal), std::move(stream), std::move(holds)});
  return true;
}

void Events::changed(const std::string& what, identity::Scope needed) {
  if (streams_.empty()) return;
  const bool first = news_.empty();
  news_.insert_or_assign(what, needed);
  if (!first) return;
  boost::asio::post(io_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->tell();
  });
}

void Events::tell() {
  const auto news = std::exchange(news_, {});
  std::erase_if(streams_, [&news](const auto& one) {
    std::vector<std::string> heard;
    for (const auto& [what, needed] : news) {
      if (one.second.principal.scopes.has(needed)) heard.push_back(what);
    }
    if (heard.empty()) return false;
    return !one.second.stream->send(R"({"changed":)" + json::list_of(heard) + "}");
  });
}

void Events::close_of(std::string_view principal) {
  std::erase_if(streams_, [principal](const auto& one) {
    if (one.second.principal.name != principal) return false;
    one.second.stream->close();
    return true;
  });
}

void Events::close() {
  for (const auto& [number, open] : std::exchange(streams_, {})) open.stream->close();
}

}  // namespace host::rest
