#include "rest/events.h"

#include <boost/asio/post.hpp>

#include <utility>
#include <vector>

#include "json/object_text.h"

namespace host::rest {

bool Events::open(transport::HttpExchange& exchange, std::shared_ptr<const void> holds) {
  if (streams_.size() >= kMostStreams) return false;
  const std::size_t number = ++last_;
  exchange.on_disconnect([weak = weak_from_this(), number] {
    if (const auto self = weak.lock()) self->streams_.erase(number);
  });
  auto stream = exchange.stream({{"Cache-Control", "no-store"}});
  stream->comment("open");
  streams_.emplace(number, Open{std::move(stream), std::move(holds)});
  return true;
}

void Events::changed(const std::string& what) {
  if (streams_.empty()) return;
  const bool first = news_.empty();
  news_.insert(what);
  if (!first) return;
  boost::asio::post(io_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->tell();
  });
}

void Events::tell() {
  const std::set<std::string> news = std::exchange(news_, {});
  const std::string text =
      R"({"changed":)" + json::list_of(std::vector<std::string>(news.begin(), news.end())) + "}";
  std::erase_if(streams_, [&text](const auto& one) { return !one.second.stream->send(text); });
}

void Events::close() {
  for (const auto& [number, open] : std::exchange(streams_, {})) open.stream->close();
}

}  // namespace host::rest
