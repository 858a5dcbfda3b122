// Reports when plugin folders should be scanned again. After a kernel event, the watcher waits
// until no event has arrived for some time (Settings::debounce), and then requests a scan of all
// folders. If the events continue, the watcher requests the scan after a time limit. Some file
// systems report no events, and events can be lost. So the watcher also checks whether a folder has
// changed, once in each interval Settings::rescan. If a folder does not exist yet, the watcher
// watches its nearest existing parent folder.
//
// The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace host::plugin {

class Watcher : public std::enable_shared_from_this<Watcher> {
 public:
  struct Settings {
    std::vector<std::filesystem::path> folders;
    std::chrono::milliseconds debounce{250};
    std::chrono::milliseconds rescan{5000};
  };

  Watcher(boost::asio::any_io_executor io, Settings settings);

  // `look` scans the folders. The watcher calls `look` when file events have arrived and then
  // stopped. Once in each interval Settings::rescan, the watcher calls `changed`. If `changed`
  // returns true, a folder has changed, and the watcher continues as after an event of the kernel.
  void start(std::function<void()> look, std::function<bool()> changed);
  void stop();
  // The watcher calls `closed` immediately when a process has closed a watched file after writing,
  // or has moved a file to a watched path. Call on_closed() before start().
  void on_closed(std::function<void()> closed) { closed_ = std::move(closed); }

  // Resolves the paths of the folders again, and watches the folders to which the paths now lead.
  // renew() also watches the files at `targets`: the targets of symbolic links in the folders. If
  // renew() begins to watch a folder or file, the watcher requests another scan.
  void renew(const std::vector<std::filesystem::path>& targets);

  // Makes the watcher continue as if the kernel had reported an event.
  void touch() { touch_after(settings_.debounce); }
  void touch_after(std::chrono::milliseconds pause);

 private:
  // The files of one folder that the watcher observes: all files, or only the files in `names`.
  struct Watch {
    bool all = false;
    std::set<std::string> names;
    bool wants(std::string_view name) const { return all || names.count(std::string(name)) > 0; }
  };

  void watch(const std::filesystem::path& folder, std::map<int, Watch>& to, const Watch& what);
  void watch_for(const std::filesystem::path& folder, std::map<int, Watch>& to);
  void read_events();
  void handle_events(std::size_t bytes);
  void arm_rescan();

  Settings settings_;
  boost::asio::posix::stream_descriptor inotify_;
  boost::asio::steady_timer settle_;
  boost::asio::steady_timer rescan_;
  std::function<void()> look_;
  std::function<bool()> changed_;
  std::function<void()> closed_;
  std::map<int, Watch> watched_;  // the key is inotify's number for the folder
  alignas(8) std::array<char, 4096> events_;
  SteadyTime first_event_{};  // time of the first event since the last scan; zero: no event
  bool stopped_ = false;
};

}  // namespace host::plugin
