// What an operator orders for one plugin: load its file again, or lift a quarantine.
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>

#include "base/log.h"
#include "plugin/lifecycle/lifecycle.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::milliseconds kLookAgain{5};

}  // namespace

// A load that is under way may be of an older file, or of one that was rolled back: it ends first.
asio::awaitable<Result<void>> Lifecycle::load_again() {
  const auto self = shared_from_this();
  const auto executor = co_await asio::this_coro::executor;
  if (!configured_.enabled) {
    co_return Error{ErrorKind::InvalidArgument,
                    "is disabled: set enabled = true in [plugin." + name_ + "] and restart"};
  }
  asio::steady_timer pause(executor);
  const auto rest = [&pause] {
    pause.expires_after(kLookAgain);
    return pause.async_wait(asio::use_awaitable);
  };
  while (loading_) co_await rest();
  if (loader_->stopping) co_return Error{ErrorKind::Cancelled, "the host stops"};
  broken_ = true;  // so that also what serves already is loaded anew
  rolled_back_hash_.clear();
  const auto ended = std::make_shared<bool>(false);
  begin_load(nullptr, [ended] { *ended = true; });
  while (!*ended || loading_) co_await rest();
  if (state_ == State::Active && last_error_.empty()) co_return Result<void>();
  if (state_ == State::Disabled && side_) {
    co_return Error{ErrorKind::InvalidArgument,
                    "is disabled: remove enabled = false from " + side_->file.string()};
  }
  if (!present()) co_return Error{ErrorKind::NotFound, "its file was removed"};
  co_return Error{ErrorKind::PluginFault,
                  last_error_.empty() ? "was not loaded: the host stops" : last_error_};
}

asio::awaitable<Result<void>> Lifecycle::release() {
  const auto self = shared_from_this();
  if (!records_.release_all()) {
    co_return Error{ErrorKind::InvalidArgument, "is not quarantined: there is nothing to release"};
  }
  log::info("plugin", "is released from quarantine", {{"plugin", name_}});
  const bool was_rolled_back = !rolled_back_hash_.empty() && last_error_ == rolled_back_why_;
  if (last_error_.empty() || was_rolled_back)
    co_return Result<void>();           // the next call starts a worker
  auto loaded = co_await load_again();  // its file was refused for the quarantine
  co_return loaded;
}

}  // namespace host::plugin
