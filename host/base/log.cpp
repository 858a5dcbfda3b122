#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/text/visible.h"

namespace host::log {
namespace {

Format line_format = Format::Text;

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = std::make_shared<spdlog::logger>("toolpost",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    made->set_level(spdlog::level::warn);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *instance;
}

// Both enumerations have the levels in the same order.
spdlog::level::level_enum to_spdlog(Level level) {
  return static_cast<spdlog::level::level_enum>(level);
}

std::string_view name_of(Level level) {
  constexpr std::string_view kNames[] = {"trace", "debug",    "info", "warning",
                                         "error", "critical", "off"};
  return kNames[static_cast<int>(level)];
}

// Also escapes characters that a terminal would hide or interpret, because logs are read in
// terminals.
void append_escaped(std::string& out, std::string_view text, bool quotes) {
  while (!text.empty()) {
    const Character next = first_character(text);
    text.remove_prefix(next.bytes.size());
    if (!next.valid || is_hidden(next.point) || next.point == '\n' || next.point == '\t') {
      out += mark_of(next, Marking::Json);
    } else {
      if (quotes && (next.point == '"' || next.point == '\\')) out += '\\';
      out += next.bytes;
    }
  }
}

std::string as_text(std::string_view component, std::string_view message, Fields fields) {
  std::string line(component);
  line += ": ";
  append_escaped(line, message, false);
  for (const Field& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_escaped(line, field.value, false);
  }
  return line;
}

std::string as_json(Level level, std::string_view component, std::string_view message,
                    Fields fields) {
  std::string line = "\"level\":\"" + std::string(name_of(level)) + "\",\"component\":\"" +
                     std::string(component) + "\",\"msg\":\"";
  append_escaped(line, message, true);
  line += '"';
  for (const Field& field : fields) {
    line += ",\"";
    line += field.key;
    line += "\":\"";
    append_escaped(line, field.value, true);
    line += '"';
  }
  return line;
}

}  // namespace

void setup(Level level, Format format) {
  line_format = format;
  if (format == Format::Json) logger().set_pattern("{\"ts\":\"%Y-%m-%dT%H:%M:%S.%e%z\",%v}");
  logger().set_level(to_spdlog(level));
}

bool enabled(Level level) {
  return logger().should_log(to_spdlog(level));
}

void write(Level level, std::string_view component, std::string_view message, Fields fields) {
  if (!enabled(level)) return;
  const std::string line = line_format == Format::Json ? as_json(level, component, message, fields)
                                                       : as_text(component, message, fields);
  logger().log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace host::log
