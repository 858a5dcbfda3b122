// What a worker writes to stdout and stderr, as lines of the host's log; and the last line, which
// often tells why it died. A flood is cut, and the log says so. I/O thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace host::plugin {

class OutputLog {
 public:
  explicit OutputLog(std::string plugin) : plugin_(std::move(plugin)) {}

  void add(std::string_view bytes);
  void end();  // no more bytes: what is left is a line
  // A line that the plugin logged by the ABI, under the same bound.
  void plugin_line(int level, std::string_view message, std::string_view json_fields);

  const std::string& last_line() const { return last_line_; }

 private:
  bool may_write();
  void line(std::string_view text);

  std::string plugin_;
  std::string open_;
  std::string last_line_;
  SteadyTime window_{};
  unsigned written_ = 0;  // in this window
};

}  // namespace host::plugin
