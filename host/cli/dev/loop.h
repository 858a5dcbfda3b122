// Runs the loop of `toolpost dev`. When a developer has saved a source file, the loop builds the
// project and serves the new plugins. After the build, the loop makes the last call again and shows
// the difference between the two results. Call the functions of this header on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/core/core.h"
#include "cli/dev/project.h"
#include "plugin/file/watcher.h"

namespace host::cli::dev {

struct LastCall {
  std::string tool;
  std::string arguments;              // a JSON object
  std::optional<std::string> answer;  // nullopt: the call was not made yet
};

class Loop : public std::enable_shared_from_this<Loop> {
 public:
  // `served` is the folder from which the host serves plugins. `call` is the call that the loop
  // makes again after each build, until a client makes a different call.
  Loop(app::Core& core, Project project, std::filesystem::path served,
       std::optional<LastCall> call);

  void start();
  void stop();  // kills a running build

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
  // Returns false if the host refused the plugin's newest build.
  bool tell_served(const std::string& name) const;
  void note_call(const tool::Call& call, const std::string& arguments,
                 const Result<tool::CallResult>& result);

  app::Core& core_;
  Project project_;
  std::filesystem::path served_;
  std::optional<LastCall> last_;
  std::shared_ptr<plugin::Watcher> watcher_;
  std::map<std::string, std::filesystem::file_time_type> copied_;  // file times, by plugin
  std::optional<std::uint64_t> seen_;  // last result of mark_of_sources(); nullopt: none yet
  std::size_t watched_folders_ = 0;
  const std::shared_ptr<Cancel> stopped_ = std::make_shared<Cancel>();
  bool busy_ = false;
  bool again_ = false;
};

}  // namespace host::cli::dev
