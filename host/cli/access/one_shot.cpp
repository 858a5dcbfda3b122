#include "cli/access/one_shot.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/process/spawn.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "upstream/provider/tool_name.h"

namespace host::cli {
namespace {

// Null: none. Of two whose names begin alike, the one with the longer name.
const config::Upstream* upstream_of(const config::Config& config, std::string_view tool) {
  const config::Upstream* found = nullptr;
  for (const config::Upstream& one : config.upstream) {
    const bool fits = tool.starts_with(upstream::served_name(one.name, ""));
    if (fits && (!found || one.name.size() > found->name.size())) found = &one;
  }
  return found;
}

}  // namespace

int one_shot(config::Config config, std::function<boost::asio::awaitable<int>(app::Core&)> work) {
  config.webhook.clear();  // only a host that serves sends events
  auto core = app::Core::create(std::move(config));
  if (!core) return complain(core.error(), kExitFailure);
  int exit_code = kExitFailure;
  const auto run = [&]() -> boost::asio::awaitable<void> {
    co_await (*core)->start(upstream::Connects::WhenCalled, checkout::Pulls::ByCommand);
    exit_code = co_await work(**core);
    co_await (*core)->stop();
  };
  spawn_main((*core)->io().get_executor(), run);
  (*core)->io().run();
  return exit_code;
}

boost::asio::awaitable<Result<void>> reach_upstream_of(app::Core& core, std::string name) {
  const config::Upstream* const upstream = upstream_of(core.config(), name);
  if (!upstream || core.catalog().snapshot()->find(name)) co_return Result<void>();
  const auto known = core.upstreams().known_tools();
  const auto found = known.find(upstream->name);
  if (found != known.end() && found->second) co_return Result<void>();
  const auto reached = co_await core.upstreams().refresh(upstream->name);
  if (!reached) co_return reached.error().within("upstream \"" + upstream->name + "\"");
  co_return Result<void>();
}

}  // namespace host::cli
