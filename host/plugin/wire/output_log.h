// What a worker writes to stdout and stderr, as lines of the host's log; and the last of it, which
// often tells why it died. Of what one worker writes, the log takes so many lines and bytes in ten
// seconds; a line tells that the rest is dropped, and a later one how many lines that were. The
// last lines are never cut so. I/O thread.
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
  void end();  // no more bytes: what is left is a line
  // A line that the plugin logged by the ABI, under the same bound. `call`: in which; 0: in none.
  void plugin_line(int level, std::string_view message, std::string_view json_fields,
                   std::uint64_t call = 0);

  // The newest lines, oldest of them first.
  std::vector<std::string> last_lines(std::size_t most) const;
  // Only those that this call logged by the ABI. What is written to stdout and stderr may be of any
  // call, and so of other people.
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
  unsigned written_ = 0;           // lines, in this window
  std::size_t written_bytes_ = 0;  // likewise
  std::uint64_t dropped_ = 0;      // lines, not told yet
};

}  // namespace host::plugin
