// Validates a plugin's library before its use. The code copies the library to a new path, and loads
// the copy in a separate process, so that a crash does not harm the host. If the same library was
// validated before the host's start, the host uses the stored description and does not load the
// library for the validation. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "plugin/declared/narrowing.h"
#include "plugin/file/known_library.h"
#include "plugin/lifecycle/loader.h"
#include "plugin/serving/generation.h"

namespace host::plugin {

class Trial {
 public:
  Trial(std::string plugin, std::shared_ptr<Loader> loader);

  // Waits until the library's file has stopped changing, and then copies the library. The copy is
  // removed when the last shared_ptr to it is released. `settings` must be the text of
  // Build::settings.
  boost::asio::awaitable<Result<std::shared_ptr<const StagedFile>>> stage(
      std::filesystem::path path, std::string settings);

  // Returns the side file of the library when the file has stopped changing. Returns null if the
  // library has no side file.
  boost::asio::awaitable<Result<SideFilePtr>> side_file(std::filesystem::path library);

  // Returns the library's description. If `may_be_known` is true and the host has stored a
  // description, the function returns the stored description and sets build.known. If the function
  // must validate the library, the result contains no resources and no prompts.
  boost::asio::awaitable<Result<KnownLibrary>> describe(Build& build, bool may_be_known);

  // Stores the library's description, so that the host can use it at its next starts.
  void keep(const Build& build, const KnownLibrary& known);
  void forget(const Build& build);

 private:
  // Runs `work` on a control thread, and runs it again while it returns the Error Unavailable.
  template <class T>
  boost::asio::awaitable<Result<T>> when_settled(std::function<Result<T>()> work);
  boost::asio::awaitable<Result<std::string>> probe(const Build& build);
  ManifestCache::Key key_of(const Build& build) const;
  // Returns a function that returns true for each library whose description is stored.
  Staging::WasLoaded was_loaded(std::string settings) const;

  const std::string plugin_;
  const std::shared_ptr<Loader> loader_;
  std::uint32_t copies_ = 0;
};

}  // namespace host::plugin
