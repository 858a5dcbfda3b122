// Logs the standard error of an upstream without its secrets, and keeps the last lines, which often
// explain why the upstream ended. The host limits the lines and bytes that it logs in ten seconds.
// When the limit of logged lines is reached, one log line says that further lines are dropped. A
// later log line says how many lines were dropped. The functions of StderrLog are called on the I/O
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "upstream/connection/secrets.h"

namespace host::upstream {

class StderrLog {
 public:
  StderrLog(std::string upstream, std::shared_ptr<const Secrets> secrets,
            const Clock& clock = system_clock())
      : upstream_(std::move(upstream)), secrets_(std::move(secrets)), clock_(clock) {}
  ~StderrLog();
  StderrLog(const StderrLog&) = delete;
  StderrLog& operator=(const StderrLog&) = delete;

  void add(std::string_view bytes);
  void end();  // the output has ended; logs an incomplete last line
  std::vector<std::string> last_lines() const { return {kept_.begin(), kept_.end()}; }

 private:
  void line(std::string_view text);
  bool may_write(std::size_t bytes);
  void report_dropped();

  const std::string upstream_;
  const std::shared_ptr<const Secrets> secrets_;
  const Clock& clock_;
  std::string open_;
  std::deque<std::string> kept_;
  SteadyTime window_{};
  unsigned written_ = 0;
  std::size_t written_bytes_ = 0;
  std::uint64_t dropped_ = 0;  // number of dropped lines that the log has not reported
};

}  // namespace host::upstream
