// Reads the configuration file again while the host serves: when the file changes, at SIGHUP, and
// when an administrator asks. Live keys (config/difference.h) are applied; the report says which
// other keys need a restart. A file that a start would refuse changes nothing. I/O thread only.
#pragma once

#include <sys/stat.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/reload_report.h"
#include "plugin/file/watcher.h"
#include "rest/route/configuration.h"

namespace host::app {

class Core;

class ConfigReload final : public rest::Configuration {
 public:
  // Reads the file as the start did. Null: the configuration is that of the start for ever.
  using Read = std::function<config::Loaded()>;

  ConfigReload(Core& core, Read read);

  // From now on the file is followed. Also takes what changed since the start.
  void follow();
  void stop();
  // At SIGHUP.
  void hang_up();

  const config::ReloadReport& report() const override { return report_; }
  // One at a time. After stop() nothing is read.
  boost::asio::awaitable<config::ReloadReport> reload(std::string by) override;
  // The report of a reload now, without its effects.
  config::ReloadReport compare() const;

 private:
  // Which file was read: another one under the same name, or another content.
  struct Seen {
    dev_t device = 0;
    ino_t number = 0;
    off_t size = 0;
    timespec written{};
    timespec changed{};

    bool is(const Seen& other) const;
  };
  struct Reading {
    config::Config file;  // as it was read, if there is no fault
    std::vector<config::Diagnostic> faults;
  };

  Reading read() const;
  std::string why_not_whole(const Seen& before) const;
  boost::asio::awaitable<void> reload_once(std::string by);
  void refuse(const std::string& by, std::vector<config::Diagnostic> faults);
  void tell(const std::string& by, bool is_news);
  void note(const std::string& by) const;
  void read_for(std::string by);
  void look();
  Seen see() const;

  Core& core_;
  const Read read_;
  config::ReloadReport report_;
  std::shared_ptr<plugin::Watcher> watcher_;  // null: nothing is followed
  Seen seen_;
  bool is_busy_ = false;
  bool is_stopped_ = false;
  boost::asio::steady_timer turn_;  // cancelled at each end of a reload
};

}  // namespace host::app
