// What a worker writes to stdout and stderr, as lines of the host's log; and the last of it, which
// often tells why it died. A flood is cut in the log, which says so, never in the last lines. I/O
// thread.
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
  explicit OutputLog(std::string plugin, Redactor redact = {})
      : plugin_(std::move(plugin)), redact_(std::move(redact)) {}

  void add(std::string_view bytes);
  void end();  // no more bytes: what is left is a line
  // A line that the plugin logged by the ABI, under the same bound. `call`: in which; 0: in none.
  void plugin_line(int level, std::string_view message, std::string_view json_fields,
                   std::uint64_t call = 0);

  // The newest lines, oldest of them first, without what other calls than this one logged: they
  // may be of other people.
  std::vector<std::string> last_lines(std::size_t most, std::uint64_t of_call) const;

 private:
  struct Line {
    std::string text;
    std::uint64_t call = 0;
  };

  bool may_write();
  void line(std::string_view text);
  void keep(std::string_view text, std::uint64_t call);

  std::string plugin_;
  const Redactor redact_;
  std::string open_;
  std::deque<Line> kept_;
  std::size_t kept_bytes_ = 0;
  SteadyTime window_{};
  unsigned written_ = 0;  // in this window
};

}  // namespace host::plugin
