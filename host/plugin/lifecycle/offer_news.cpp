// What a serving build offers: taken to the catalog, compared with what its worker has, and changed
// when the plugin announces it.
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "plugin/lifecycle/lifecycle.h"
#include "plugin/lifecycle/listing.h"
#include "plugin/lifecycle/start.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::milliseconds kNewsPause{100};  // from one News of a plugin to the next

}  // namespace

void Lifecycle::started(std::uint32_t number, const Result<void>& fit) {
  if (loader_->stopping) return;
  if (!serving_ || serving_->build().number != number) {
    early_start_ = EarlyStart{number, fit};
    return;
  }
  if (!fit) return try_again(fit.error());
  tell_of_sandbox(name_, serving_->sandbox());
  spawn(loader_->around->io, {"plugin", "compares what a library offers"}, compare_offer(serving_));
}

// A build waits for the others of its batch, and its worker may be up before all are published.
void Lifecycle::hear_early_start() {
  const auto early = std::exchange(early_start_, std::nullopt);
  if (early && serving_ && serving_->build().number == early->number)
    started(early->number, early->fit);
}

asio::awaitable<void> Lifecycle::compare_offer(std::shared_ptr<Generation> generation) {
  const auto self = shared_from_this();
  const auto serves = [this, generation] { return generation == serving_ && !loader_->stopping; };
  auto listing = co_await list_while_busy(generation, loader_->around->start_timeout, serves);
  if (!serves()) co_return;
  if (!listing) co_return try_again(listing.error());
  if (listing->offer == generation->offer()) co_return;
  trial_.keep(generation->build(), {manifest_, listing->resources, listing->prompts});
  generation->set_offer(std::move(listing->offer));
  offer_to_catalog();
}

void Lifecycle::try_again(const Error& why) {
  log::warning("plugin", "is tried again: its worker does not serve what an earlier trial found",
               {{"plugin", name_}, {"reason", why.message}});
  trial_.forget(serving_->build());
  retire();
  if (loading_) {
    again_ = true;
    return;
  }
  begin_load(nullptr);
}

void Lifecycle::offer_to_catalog() {
  take_refusals(loader_->catalog.set(slot(), serving_));
}

void Lifecycle::take_refusals(std::vector<tool::Refusal> refusals) {
  refusals_ = std::move(refusals);
  refusals_.insert(refusals_.end(), notes_.begin(), notes_.end());
  for (const tool::Refusal& refusal : logged_refusals_.take(refusals_)) {
    log::warning("plugin", refusal.reason, {{"plugin", name_}, {"tool", refusal.tool}});
  }
}

void Lifecycle::follow(const std::shared_ptr<Generation>& generation) {
  generation->on_crash([self = weak_from_this(), from = std::weak_ptr(generation)] {
    const auto alive = self.lock();
    const auto crashed = from.lock();
    if (alive && crashed) alive->crashed(crashed);
  });
  generation->on_fault([self = weak_from_this(), from = std::weak_ptr(generation)] {
    const auto alive = self.lock();
    const auto failed = from.lock();
    if (alive && failed) alive->failed_a_call(failed);
  });
  generation->news().listen([self = weak_from_this(), from = std::weak_ptr(generation)](News news) {
    const auto alive = self.lock();
    if (!alive) return;
    spawn(alive->loader_->around->io, {"plugin", "acts on what a plugin announced"},
          alive->act_on(from, std::move(news)), [from](const Result<void>& ended) {
            // Or it could announce nothing any more.
            if (const auto serving = from.lock(); serving && !ended) serving->heard_news();
          });
  });
}

// The tools that the plugin withdrew while it started must not be in the first list. The listener
// that follow() sets acts on the rest, and then reports to the plugin that it was heard.
void Lifecycle::take_early_news(Generation& generation) {
  News told = generation.news().take();
  if (told.empty()) return;
  generation.offer_tools(told);
  told.restarted = false;
  told.tools.clear();
  if (told.empty()) return generation.heard_news();
  generation.news().put(std::move(told));
}

// What the serving generation tells of itself. One that is on its way out tells in vain.
asio::awaitable<void> Lifecycle::act_on(std::weak_ptr<Generation> from, News news) {
  auto self = shared_from_this();
  if (auto generation = from.lock(); generation && generation == serving_) {
    bool changed = generation->offer_tools(news);
    if (news.resources || news.prompts) {
      const auto serves = [this, generation] { return generation == serving_; };
      const bool listed = co_await list_again(generation, loader_->around->start_timeout, serves);
      changed = changed || listed;
    }
    if (generation == serving_ && changed) offer_to_catalog();
    if (generation == serving_) {
      const tool::ProviderIdentity::Id id = generation->identity().id();
      for (const std::string& uri : news.updated) loader_->catalog.resource_updated(uri, id);
    }
  }
  self.reset();  // nothing is held, and nothing of its own touched, during the pause
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer pause(executor, kNewsPause);
  co_await pause.async_wait(asio::use_awaitable);
  if (const auto generation = from.lock()) generation->heard_news();
}

}  // namespace host::plugin
