// Reads the configuration file again while the host runs: when the file changes, at SIGHUP, and
// when an administrator asks for it. A reload applies the live keys (config/change/difference.h).
// If other keys have changed in the file, the report of the reload names these other keys, which
// need a restart. The host ignores a configuration file with which it would refuse to start. The
// host ignores a configuration file that is empty, or that a process is writing. Call the functions
// of this header on the I/O thread.
#pragma once

#include <sys/stat.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/core/start_check.h"
#include "base/clock.h"
#include "config/change/reload_report.h"
#include "config/config.h"
#include "config/reader/load.h"
#include "plugin/file/watcher.h"
#include "rest/route/configuration.h"

namespace host::app {

class Core;

class ConfigReload final : public rest::Configuration {
 public:
  // Reads the configuration file again, and applies the same command-line options and environment
  // variables as at the start of the host. If a ConfigReload gets a null function, the host never
  // reads its configuration again.
  using Read = std::function<config::Loaded()>;

  // `has_key`: see app/core/start_check.h.
  ConfigReload(Core& core, Read read, HasKey has_key = nullptr);

  // Begins to watch the configuration file for changes. If the file has changed since the host
  // started, the host reads the file immediately.
  void follow();
  void stop();
  // Call hang_up() when the process gets SIGHUP.
  void hang_up();

  const config::ReloadReport& report() const override { return report_; }
  // Reads the configuration file and returns the report. `by` says who asked for the reload, for
  // the log and the audit. If an earlier call of reload() still runs, a new call waits until the
  // earlier call has ended. After stop(), reload() does not read the file, and returns its last
  // report.
  boost::asio::awaitable<config::ReloadReport> reload(std::string by) override;
  // Reads the file, and returns a report with the faults of the file and the keys that would need a
  // restart after a reload. The function compare() applies no change.
  config::ReloadReport compare();

 private:
  // Identifies the file and its content, so that the host notices when either changes.
  struct Seen {
    dev_t device = 0;
    ino_t number = 0;
    off_t size = 0;
    timespec written{};
    timespec changed{};

    bool is(const Seen& other) const;
    // Returns true if the two Seen objects identify the same file, with the same size and the same
    // time of the last write.
    bool has_content_of(const Seen& other) const;
  };
  struct Reading {
    config::Config file;  // the configuration that was read, if it has no fault
    std::vector<config::Diagnostic> faults;
    bool is_incomplete = false;  // true: a process may still be writing the file
  };

  Reading read();
  // Returns the reason why a process may still be writing the file, or an empty text. If the kernel
  // does not report which processes write a file, the host treats the file as complete when the
  // host starts. The host also treats the file as complete after a process has closed it or moved
  // it into place, and when it has not changed for a while.
  std::string why_incomplete();
  static bool is_old(const Seen& file);
  boost::asio::awaitable<void> reload_once(std::string by);
  void refuse(const std::string& by, std::vector<config::Diagnostic> faults);
  void tell(const std::string& by, bool is_news);
  void note(const std::string& by) const;
  void read_for(std::string by);
  void look();
  Seen see() const;

  Core& core_;
  const Read read_;
  const HasKey has_key_;
  // See config/change/reload_plan.h; nullopt: there was no reload yet.
  std::optional<config::Config> settled_;
  config::ReloadReport report_;
  std::shared_ptr<plugin::Watcher> watcher_;  // null: nothing is followed
  Seen seen_;
  Seen closed_;   // the last state of the file that is known to be complete
  Seen changed_;  // the last state that may be incomplete, first seen at `changed_at_`
  SteadyTime changed_at_{};
  bool is_busy_ = false;
  bool is_stopped_ = false;
  boost::asio::steady_timer turn_;  // cancelled when a reload ends, to wake the next reload
};

}  // namespace host::app
