#include "cli/one_shot.h"

#include <boost/asio/co_spawn.hpp>

#include <iostream>

#include "cli/exit_code.h"

namespace host::cli {

int one_shot(config::Config config, std::function<boost::asio::awaitable<int>(app::Core&)> work) {
  auto core = app::Core::create(std::move(config));
  if (!core) {
    std::cerr << "toolpost: " << core.error().message << '\n';
    return kExitFailure;
  }
  int exit_code = kExitFailure;
  const auto run = [&]() -> boost::asio::awaitable<void> {
    co_await (*core)->start();
    exit_code = co_await work(**core);
    co_await (*core)->stop();
  };
  boost::asio::co_spawn((*core)->io(), run, [](std::exception_ptr fault) {
    if (fault) std::rethrow_exception(fault);
  });
  (*core)->io().run();
  return exit_code;
}

}  // namespace host::cli
