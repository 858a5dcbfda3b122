#include "plugin/lifecycle/listing.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>
#include <string>

#include "base/log.h"
#include "plugin/declared/offer_reader.h"

namespace host::plugin {
namespace {

namespace asio = boost::asio;

constexpr int kMostListings = 12;  // of a plugin that is busy; each waits for the timeout

// What the invocation and the coroutine that waits for it share.
struct ListWait {
  explicit ListWait(const asio::any_io_executor& io) : timer(io) {}
  asio::steady_timer timer;
  std::optional<Result<tool::CallResult>> result;
};

asio::awaitable<Result<std::string>> list(std::shared_ptr<Generation> generation,
                                          tool::Function function,
                                          std::chrono::milliseconds timeout) {
  const asio::any_io_executor io = co_await asio::this_coro::executor;
  const auto wait = std::make_shared<ListWait>(io);
  const auto invocation = std::make_shared<tool::Invocation>();
  invocation->function = function;
  invocation->arguments = "{}";
  auto passport = std::make_shared<tool::Passport>();
  passport->call = "list";
  passport->who.principal = "host";
  invocation->passport = std::move(passport);
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

Result<Listing> read_listing(const Manifest& manifest, std::string resources, std::string prompts) {
  Listing listing;
  listing.offer.completes = manifest.completes;
  listing.offer.intercepts = manifest.intercepts;
  if (manifest.has_resources) {
    const Result<void> read = read_resource_list(resources, listing.offer);
    if (!read) return read.error().within("bad list of resources");
  }
  if (manifest.has_prompts) {
    const Result<void> read = read_prompt_list(prompts, listing.offer);
    if (!read) return read.error().within("bad list of prompts");
  }
  listing.resources = std::move(resources);
  listing.prompts = std::move(prompts);
  return listing;
}

asio::awaitable<Result<Listing>> list_offer(std::shared_ptr<Generation> generation,
                                            std::chrono::milliseconds timeout) {
  const Manifest& manifest = generation->build().manifest;
  Result<std::string> resources = std::string();
  if (manifest.has_resources) {
    resources = co_await list(generation, tool::Function::ListResources, timeout);
  }
  if (!resources) co_return resources.error().within("bad list of resources");
  Result<std::string> prompts = std::string();
  if (manifest.has_prompts) {
    prompts = co_await list(generation, tool::Function::ListPrompts, timeout);
  }
  if (!prompts) co_return prompts.error().within("bad list of prompts");
  co_return read_listing(manifest, *std::move(resources), *std::move(prompts));
}

asio::awaitable<Result<Listing>> list_while_busy(std::shared_ptr<Generation> generation,
                                                 std::chrono::milliseconds timeout,
                                                 std::function<bool()> serves) {
  Result<Listing> listing = Error{};
  for (int tries = 1; tries <= kMostListings && serves(); ++tries) {
    listing = co_await list_offer(generation, timeout);
    const bool busy = !listing && listing.error().kind == ErrorKind::DeadlineExceeded;
    if (!busy) break;  // a serial plugin lists when its call has ended
  }
  if (!serves()) co_return Error{ErrorKind::Cancelled, "it does not serve any more"};
  co_return listing;
}

asio::awaitable<bool> list_again(std::shared_ptr<Generation> generation,
                                 std::chrono::milliseconds timeout, std::function<bool()> serves) {
  auto listing = co_await list_while_busy(generation, timeout, std::move(serves));
  if (!listing) {
    if (listing.error().kind == ErrorKind::Cancelled) co_return false;
    log::warning("plugin", listing.error().message + ": what it offered before stays",
                 {{"plugin", generation->name()}});
    co_return false;
  }
  if (listing->offer == generation->offer()) co_return false;
  generation->set_offer(std::move(listing->offer));
  co_return true;
}

}  // namespace host::plugin
