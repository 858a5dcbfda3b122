// Which side file applies to a library, and what it may change.
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <filesystem>

#include "plugin/lifecycle/lifecycle.h"

namespace host::plugin {
namespace asio = boost::asio;

asio::awaitable<Result<SideFilePtr>> Lifecycle::settled_side_file(std::filesystem::path library) {
  constexpr std::chrono::milliseconds kSideFilePause{20};
  const auto until = steady_now() + loader_->options.plugins.retire_grace;
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer pause(executor);
  for (;;) {
    auto side = co_await trial_.side_file(library);
    const bool is_gone = side && !*side && side_;
    if (!is_gone || steady_now() >= until || loader_->stopping) co_return side;
    pause.expires_after(kSideFilePause);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

SideFileMay Lifecycle::side_file_may(const std::filesystem::path& library) const {
  std::error_code error;
  const auto folder = std::filesystem::canonical(library.parent_path(), error);
  if (error) return SideFileMay::Restrict;
  const auto& trusted = loader_->options.plugins.trusted_dirs;
  const bool found = std::any_of(trusted.begin(), trusted.end(), [&](const auto& one) {
    std::error_code missing;
    return std::filesystem::canonical(one, missing) == folder && !missing;
  });
  return found ? SideFileMay::Override : SideFileMay::Restrict;
}

bool Lifecycle::is_same(const SideFilePtr& side) const {
  if (!side || !side_) return !side && !side_;
  return side->text == side_->text && side->file == side_->file;
}

}  // namespace host::plugin
