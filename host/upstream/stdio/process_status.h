// A ProcessStatus is the status of an upstream's process, as the keeper (keeper/control.h) and
// toolpost-confine (confine/report.h) report it in lines. Use a ProcessStatus only on the I/O
// thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "sandbox/apply.h"
#include "upstream/stdio/child.h"

namespace host::upstream {

class ProcessStatus {
 public:
  // `settings` must outlive the ProcessStatus.
  explicit ProcessStatus(const ChildSettings& settings) : settings_(settings) {}

  // Parses the next bytes of the process reports. If the last line is not complete, take() keeps it
  // for the next call.
  void take(std::string_view bytes);

  pid_t pid() const { return pid_; }  // 0: the server has not started
  // Returns true when toolpost-confine has reported all layers of the sandbox.
  bool has_sandbox_report() const;
  const sandbox::Applied& sandbox() const { return sandbox_; }
  // Returns the reason why the server is not in the sandbox that its settings require. The returned
  // reason is empty if the server is in the required sandbox. Call sandbox_fault() only if the
  // settings have a sandbox.
  std::string sandbox_fault() const;
  // Logs the layers of the sandbox, and the paths that the sandbox cannot grant.
  void log_sandbox(const std::string& upstream) const;

  // Returns why the command could not be run, or why toolpost-confine refused to run it. Empty:
  // neither was reported.
  const std::string& start_fault() const { return start_fault_; }
  // Returns how the server's process ended, for example "exited with status 1". end() returns an
  // empty text if the end of the process was not reported.
  const std::string& end() const { return end_; }
  // Returns true if SIGTERM or SIGKILL ended the process. The keeper stops the server with the
  // signals SIGTERM and SIGKILL.
  bool ended_by_stop() const;

 private:
  void take_line(std::string_view line);
  const sandbox::Layer* layer_of(std::string_view name) const;

  const ChildSettings& settings_;
  std::string rest_;  // the bytes of a line that is not complete
  pid_t pid_ = 0;
  std::string start_fault_;
  std::string end_;
  sandbox::Applied sandbox_;
};

}  // namespace host::upstream
