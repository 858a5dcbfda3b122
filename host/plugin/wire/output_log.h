// Writes a worker's stdout and stderr to the log, and keeps the last lines, which often explain a
// crash. The number of lines and bytes that each worker can log in ten seconds is limited. If a
// worker reaches the limit, one log line says that further lines are dropped, and a later log line
// says how many lines were dropped. The limit on logged lines does not apply to the last lines that
// are kept for crash reports. The functions of this header are called on the I/O thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "plugin/wire/redactor.h"

namespace host::plugin {

class OutputLog {
 public:
  explicit OutputLog(std::string plugin, Redactor redact = {}, const Clock& clock = system_clock())
      : plugin_(std::move(plugin)), redact_(std::move(redact)), clock_(clock) {}
  ~OutputLog();
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;

  void add(std::string_view bytes);
  void end();  // the output has ended; logs an incomplete last line
  // Writes to the host's log a line that the plugin logged with the ABI's function. The limit of
  // add() also applies to lines that the plugin logs with the ABI's function. `call` is the id of
  // the call that wrote the line, or 0 if no call wrote it.
  void plugin_line(int level, std::string_view message, std::string_view json_fields,
                   std::uint64_t call = 0);

  // Returns the newest lines in the order in which they arrived, but not more than `most`.
  std::vector<std::string> last_lines(std::size_t most) const;
  // Returns only the lines that the call wrote with the ABI's log function. last_lines_of() omits
  // lines on stdout and stderr, because these can come from calls of other clients.
  std::vector<std::string> last_lines_of(std::size_t most, std::uint64_t call) const;

 private:
  struct Line {
    std::string text;
    std::uint64_t call = 0;
  };

  bool may_write(std::size_t bytes);
  void tell_dropped();
  void line(std::string_view text);
  void keep(std::string_view text, std::uint64_t call);

  std::string plugin_;
  const Redactor redact_;
  std::string open_;
  std::deque<Line> kept_;
  std::size_t kept_bytes_ = 0;
  const Clock& clock_;
  SteadyTime window_{};
  unsigned written_ = 0;           // lines in the current ten seconds
  std::size_t written_bytes_ = 0;  // bytes in the current ten seconds
  std::uint64_t dropped_ = 0;      // dropped lines that the log has not reported yet
};

}  // namespace host::plugin
