// The host's own log: the one door to spdlog. Any thread.
//
// Lines go to stderr, never to stdout, which may carry a protocol. A line is one event: a message
// for people and a few named fields. No arguments, results, tokens or keys belong in it. Control
// characters are escaped, so that no text from outside can forge a line.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace host::log {

enum class Level { Trace, Debug, Info, Warning, Error, Critical, Off };
enum class Format { Text, Json };

struct Field {
  std::string_view key;
  std::string value;
};
using Fields = std::initializer_list<Field>;

// Once, before threads start; until then only warnings and worse are written, as text.
void setup(Level level, Format format);
bool enabled(Level level);

// `component` is the folder that speaks: "plugin", "transport".
void write(Level level, std::string_view component, std::string_view message, Fields fields = {});

inline void debug(std::string_view component, std::string_view message, Fields fields = {}) {
  if (enabled(Level::Debug)) write(Level::Debug, component, message, fields);
}
inline void info(std::string_view component, std::string_view message, Fields fields = {}) {
  write(Level::Info, component, message, fields);
}
inline void warning(std::string_view component, std::string_view message, Fields fields = {}) {
  write(Level::Warning, component, message, fields);
}
inline void error(std::string_view component, std::string_view message, Fields fields = {}) {
  write(Level::Error, component, message, fields);
}

}  // namespace host::log
