// A plugin's library before it may serve: copied to a path of its own, then tried in a process that
// may die, or known from a trial of an earlier host. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "plugin/file/known_library.h"
#include "plugin/lifecycle/loader.h"
#include "plugin/serving/generation.h"

namespace host::plugin {

class Trial {
 public:
  Trial(std::string plugin, std::shared_ptr<Loader> loader);

  // A copy of the file as it is once it rests; the last to let go removes it. `settings` as those
  // of its Build.
  boost::asio::awaitable<Result<std::shared_ptr<const StagedFile>>> stage(
      std::filesystem::path path, std::string settings);

  // What the library says of itself; by an earlier host's trial, where there was one and
  // `may_be_known`: then build.known is set.
  // Else the lists of what it offers are empty: it was not asked.
  boost::asio::awaitable<Result<KnownLibrary>> describe(Build& build, bool may_be_known);

  // For the next host; and no more.
  void keep(const Build& build, const KnownLibrary& known);
  void forget(const Build& build);

 private:
  boost::asio::awaitable<Result<std::string>> probe(const Build& build);
  ManifestCache::Key key_of(const Build& build) const;
  // Whether an earlier host loaded these bytes.
  Staging::WasLoaded was_loaded(std::string settings) const;

  const std::string plugin_;
  const std::shared_ptr<Loader> loader_;
  std::uint32_t copies_ = 0;
};

}  // namespace host::plugin
