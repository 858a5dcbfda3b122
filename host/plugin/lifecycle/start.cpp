#include "plugin/lifecycle/start.h"

#include <functional>
#include <utility>

#include "base/log.h"
#include "base/on_executor.h"
#include "plugin/lifecycle/begun.h"
#include "plugin/serving/inline_generation.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

asio::awaitable<Result<std::shared_ptr<Generation>>> start_inline(
    std::shared_ptr<Surroundings> around, Build build, std::shared_ptr<const SavedState> state) {
  using Loaded = Result<std::shared_ptr<InlineGeneration::Core>>;
  std::function<Loaded()> work = [around, build, state] {
    return InlineGeneration::load(around, build, state);
  };
  auto core = co_await on_executor<Loaded>(around->control, std::move(work));
  if (!core) co_return core.error();
  std::shared_ptr<Generation> made =
      std::make_shared<InlineGeneration>(around, std::move(build), std::move(*core));
  co_return made;
}

}  // namespace

asio::awaitable<Result<std::shared_ptr<Generation>>> start_generation(
    std::shared_ptr<Surroundings> around, Build build, std::string manifest,
    std::shared_ptr<const SavedState> state, WorkerGeneration::Started started) {
  if (build.isolation == config::Isolation::Inline) {
    auto made = co_await start_inline(std::move(around), std::move(build), std::move(state));
    co_return made;
  }
  if (build.known) {
    std::shared_ptr<Generation> later = std::make_shared<WorkerGeneration>(
        around, std::move(build), nullptr, std::move(manifest), std::move(started));
    co_return later;
  }
  WorkerProcess::Settings settings = WorkerGeneration::worker_settings(*around, build, false);
  // For this one alone: a worker that replaces a crashed one begins fresh.
  settings.state = std::move(state);
  const auto process = WorkerProcess::create(around->io, std::move(settings));
  auto text = co_await begun(process);
  if (text && *text != manifest) {
    process->kill("it describes itself otherwise than when it was checked");
    text = Error{ErrorKind::PluginFault, "describes itself otherwise than when it was checked"};
  }
  if (!text) co_return text.error();
  tell_of_sandbox(build.plugin, process->sandbox());
  std::shared_ptr<Generation> made =
      std::make_shared<WorkerGeneration>(around, std::move(build), process, std::move(manifest));
  co_return made;
}

void tell_of_sandbox(const std::string& plugin, const sandbox::Applied& applied) {
  for (const sandbox::Layer& layer : applied.layers) {
    if (layer.active) continue;
    log::warning("plugin", "its sandbox lacks a layer",
                 {{"plugin", plugin},
                  {"layer", std::string(sandbox::to_string(layer.name))},
                  {"reason", layer.detail}});
  }
  for (const std::string& path : applied.absent) {
    log::warning(
        "plugin",
        "a path in its fs cannot be granted: create it, for a folder with `mkdir -p`, then "
        "restart the host",
        {{"plugin", plugin}, {"path", path}});
  }
}

}  // namespace host::plugin
