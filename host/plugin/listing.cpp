#include "plugin/listing.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>
#include <string>

#include "plugin/offer_reader.h"

namespace host::plugin {
namespace {

namespace asio = boost::asio;

// What the invocation and the coroutine that waits for it share.
struct Wait {
  explicit Wait(const asio::any_io_executor& io) : timer(io) {}
  asio::steady_timer timer;
  std::optional<Result<tool::CallResult>> result;
};

asio::awaitable<Result<std::string>> list(std::shared_ptr<Generation> generation,
                                          tool::Function function,
                                          std::chrono::milliseconds timeout) {
  const asio::any_io_executor io = co_await asio::this_coro::executor;
  const auto wait = std::make_shared<Wait>(io);
  const auto invocation = std::make_shared<tool::Invocation>();
  invocation->function = function;
  invocation->arguments = "{}";
  invocation->id = "list";
  invocation->principal = "host";
  invocation->deadline = std::chrono::steady_clock::now() + timeout;
  invocation->cancel = std::make_shared<Cancel>();
  invocation->set_on_finish([io, wait](Result<tool::CallResult> result) {
    asio::post(io, [wait, result = std::move(result)]() mutable {
      wait->result = std::move(result);
      wait->timer.cancel();
    });
  });
  wait->timer.expires_at(invocation->deadline);
  generation->start(invocation);
  constexpr auto token = asio::as_tuple(asio::use_awaitable);
  const auto [ended] = co_await wait->timer.async_wait(token);
  (void)ended;
  if (!wait->result) {
    invocation->cancel->request();
    generation->cancel(invocation);
    co_return Error{ErrorKind::DeadlineExceeded, "it was not told in time"};
  }
  if (!*wait->result) co_return wait->result->error();
  co_return std::move((*wait->result)->structured);
}

}  // namespace

asio::awaitable<Result<tool::Offer>> list_offer(std::shared_ptr<Generation> generation,
                                                std::chrono::milliseconds timeout) {
  const Manifest& manifest = generation->build().manifest;
  tool::Offer offer;
  offer.completes = manifest.completes;
  if (manifest.has_resources) {
    auto text = co_await list(generation, tool::Function::ListResources, timeout);
    const Result<void> read = text ? read_resource_list(*text, offer) : text.error();
    if (!read) co_return read.error().within("bad list of resources");
  }
  if (manifest.has_prompts) {
    auto text = co_await list(generation, tool::Function::ListPrompts, timeout);
    const Result<void> read = text ? read_prompt_list(*text, offer) : text.error();
    if (!read) co_return read.error().within("bad list of prompts");
  }
  co_return offer;
}

}  // namespace host::plugin
