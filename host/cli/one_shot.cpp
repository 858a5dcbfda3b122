#include "cli/one_shot.h"

#include "base/spawn.h"
#include "cli/complaint.h"
#include "cli/exit_code.h"

namespace host::cli {

int one_shot(config::Config config, std::function<boost::asio::awaitable<int>(app::Core&)> work) {
  auto core = app::Core::create(std::move(config));
  if (!core) return complain(core.error(), kExitFailure);
  int exit_code = kExitFailure;
  const auto run = [&]() -> boost::asio::awaitable<void> {
    co_await (*core)->start();
    co_await (*core)->upstreams().settle();
    exit_code = co_await work(**core);
    co_await (*core)->stop();
  };
  spawn_main((*core)->io().get_executor(), run);
  (*core)->io().run();
  return exit_code;
}

}  // namespace host::cli
