// Upstreams::accept(): a definition that waits at this host, or at another host with this store.
#include <optional>
#include <utility>

#include "base/clock.h"
#include "upstream/manager/upstreams.h"
#include "upstream/manager/wait.h"
#include "upstream/provider/tool_name.h"

namespace host::upstream {

namespace asio = boost::asio;

asio::awaitable<Result<void>> Upstreams::accept(const std::string& name, std::string tool,
                                                std::string digest, std::string by, Check check) {
  HOST_CO_TRY_ASSIGN(const std::shared_ptr<Upstream> one, find(name));
  const auto alive = alive_;
  std::optional<WallTime> decided;
  if (check && desk_) {
    HOST_CO_TRY_ASSIGN(decided, co_await accept_in_store(one, tool, digest, by, check));
    if (!*alive) co_return Error{ErrorKind::Unavailable, "the host stops"};
  }
  auto wait = std::make_shared<Wait>(io_);
  one->accept(
      tool, digest, by, [wait](Result<void> outcome) { wait->end(std::move(outcome)); }, decided);
  const Result<void> here = co_await wait_for(wait);
  const bool does_not_wait_here = !here && (here.error().kind == ErrorKind::NotFound ||
                                            here.error().kind == ErrorKind::InvalidArgument);
  if (!does_not_wait_here || !*alive || !desk_) co_return here;
  if (!decided) {
    HOST_CO_TRY_ASSIGN(decided, co_await accept_in_store(one, tool, digest, by, std::move(check)));
  }
  co_return decided ? Result<void>() : here;
}

// A host that has not read a definition yet remembers that it was accepted, so that nobody is asked
// a second time.
asio::awaitable<Result<std::optional<WallTime>>> Upstreams::accept_in_store(
    std::shared_ptr<Upstream> one, std::string tool, std::string digest, std::string by,
    Check check) {
  const Pins pins(one->name(), one->settings().pin.value_or(config_.upstreams.pin),
                  served_names(one->name()));
  using InStore = Pins::InStore;
  store::Desk::Act<InStore> act = [pins, tool, digest, by, check = std::move(check),
                                   last_list =
                                       one->last_list()](store::Store& store) -> Result<InStore> {
    InStore out;
    const auto decide = [&]() -> Result<void> {
      if (check) HOST_TRY(check(store.pins()));
      Pins all = pins;
      const WallTime now = system_clock().wall();
      HOST_TRY_ASSIGN(out, all.accept_in(store.pins(), tool, digest, by, now, last_list));
      return {};
    };
    HOST_TRY(store.together(decide));
    return out;
  };
  HOST_CO_TRY_ASSIGN(const InStore outcome, co_await desk_->ask<InStore>(std::move(act)));
  one->accepted_elsewhere(outcome.records);
  if (!outcome.accepted) co_return std::optional<WallTime>();
  co_return outcome.decided;
}

}  // namespace host::upstream
