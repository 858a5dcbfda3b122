#include "plugin/lifecycle/trial.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <optional>
#include <utility>

#include "base/on_executor.h"
#include "config/config.h"
#include "plugin/lifecycle/begun.h"
#include "plugin/lifecycle/listing.h"
#include "plugin/lifecycle/side_file.h"
#include "plugin/serving/grants.h"
#include "plugin/serving/worker_generation.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr int kMostStagings = 20;  // of a file that keeps changing

bool can_be_read(const KnownLibrary& known) {
  const auto manifest = read_manifest(known.manifest);
  return manifest && read_listing(*manifest, known.resources, known.prompts);
}

}  // namespace

Trial::Trial(std::string plugin, std::shared_ptr<Loader> loader)
    : plugin_(std::move(plugin)), loader_(std::move(loader)) {}

Staging::WasLoaded Trial::was_loaded(std::string settings) const {
  if (!loader_->manifests) return nullptr;
  return [manifests = &*loader_->manifests, settings = std::move(settings),
          worker = loader_->around->worker](const std::string& hash) {
    return manifests->find({hash, settings, worker}).has_value();
  };
}

template <class T>
asio::awaitable<Result<T>> Trial::when_settled(std::function<Result<T>()> work) {
  const auto executor = co_await asio::this_coro::executor;
  for (int tries = 1;; ++tries) {
    auto done = co_await on_executor<Result<T>>(loader_->around->control, work);
    const bool moving = !done && done.error().kind == ErrorKind::Unavailable;
    if (!moving || tries == kMostStagings || loader_->stopping) co_return done;
    asio::steady_timer pause(executor, loader_->options.plugins.debounce);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<Result<std::shared_ptr<const StagedFile>>> Trial::stage(std::filesystem::path path,
                                                                        std::string settings) {
  if (!loader_->staging) co_return Error{ErrorKind::Io, loader_->no_staging};
  auto signers = Signers::of(loader_->options.plugins.require_signature);
  if (!signers) co_return signers.error();
  std::function<Result<StagedFile>()> work = [this, path, was_loaded = was_loaded(settings),
                                              signers = *signers] {
    return loader_->staging->stage(path, plugin_, ++copies_, was_loaded, signers);
  };
  auto staged = co_await when_settled(std::move(work));
  if (!staged) co_return staged.error();
  const auto remove = [](const StagedFile* file) {
    Staging::remove(*file);
    delete file;
  };
  std::shared_ptr<const StagedFile> copy(new StagedFile(std::move(*staged)), remove);
  co_return copy;
}

asio::awaitable<Result<SideFilePtr>> Trial::side_file(std::filesystem::path library) {
  std::function<Result<SideFilePtr>()> work = [library = std::move(library)] {
    return load_side_file(library);
  };
  auto loaded = co_await when_settled(std::move(work));
  co_return loaded;
}

asio::awaitable<Result<KnownLibrary>> Trial::describe(Build& build, bool may_be_known) {
  if (loader_->manifests && may_be_known) {
    using Known = std::optional<KnownLibrary>;
    std::function<Known()> look = [manifests = &*loader_->manifests, key = key_of(build)] {
      const auto text = manifests->find(key);
      return text ? unpack(*text) : std::nullopt;
    };
    Known known = co_await on_executor<Known>(loader_->around->control, std::move(look));
    build.known = known && can_be_read(*known);
    if (build.known) co_return *std::move(known);
  }
  auto manifest = co_await probe(build);
  if (!manifest) co_return manifest.error();
  co_return KnownLibrary{*std::move(manifest), {}, {}};
}

asio::awaitable<Result<std::string>> Trial::probe(const Build& build) {
  Build trial = build;
  trial.profile = for_trial(build.profile, build.isolation, loader_->around->start_timeout);
  const auto process = WorkerProcess::create(
      loader_->around->io, WorkerGeneration::worker_settings(*loader_->around, trial, true));
  auto manifest = co_await begun(process);
  // Its end is nobody's business any more, and a plugin that hangs in destroy() must not delay the
  // load.
  if (manifest) process->retire(loader_->around->grace);
  co_return manifest;
}

ManifestCache::Key Trial::key_of(const Build& build) const {
  return {build.staged->hash, build.settings, loader_->around->worker};
}

void Trial::keep(const Build& build, const KnownLibrary& known) {
  if (!loader_->manifests) return;
  auto write = [loader = loader_, key = key_of(build), text = pack(known)] {
    loader->manifests->keep(key, text);
  };
  asio::post(loader_->around->control, std::move(write));
}

void Trial::forget(const Build& build) {
  if (loader_->manifests) loader_->manifests->forget(key_of(build));
}

}  // namespace host::plugin
