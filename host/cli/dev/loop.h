// The loop of `toolpost dev`: a source was saved, so it is built; what was built is served; the
// last call is made again and what is other in its answer is shown. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/core.h"
#include "cli/dev/project.h"
#include "plugin/file/watcher.h"

namespace host::cli::dev {

struct LastCall {
  std::string tool;
  std::string arguments;              // JSON object
  std::optional<std::string> answer;  // none: not made yet
};

class Loop : public std::enable_shared_from_this<Loop> {
 public:
  // `served` is the folder that the host serves plugins from. `call`: made again after each build,
  // until a client makes another.
  Loop(app::Core& core, Project project, std::filesystem::path served,
       std::optional<LastCall> call);

  void start();
  void stop();  // what builds is killed

 private:
  void look();
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> build_once();
  boost::asio::awaitable<void> serve(std::chrono::milliseconds build_time,
                                     std::chrono::steady_clock::time_point saved);
  boost::asio::awaitable<void> call_again();
  void watch();
  bool copy_changed(const std::filesystem::path& library);
  void tell_failure(const Built& built) const;
  // Returns false if the host refused its newest build.
  bool tell_served(const std::string& name) const;
  void note_call(const tool::Call& call, const std::string& arguments,
                 const Result<tool::CallResult>& result);

  app::Core& core_;
  Project project_;
  std::filesystem::path served_;
  std::optional<LastCall> last_;
  std::shared_ptr<plugin::Watcher> watcher_;
  std::map<std::string, std::filesystem::file_time_type> copied_;  // by plugin
  std::optional<std::uint64_t> seen_;  // of the sources; none: never looked
  std::size_t watched_folders_ = 0;
  const std::shared_ptr<Cancel> stopped_ = std::make_shared<Cancel>();
  bool busy_ = false;
  bool again_ = false;
};

}  // namespace host::cli::dev
