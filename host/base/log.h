// The host's own log. Only log.h and log.cpp use spdlog. Any thread can call the functions of this
// header.
//
// The log goes to stderr, never to stdout, because stdout can carry a protocol. A line of the log
// is one event: a message and a few named fields. Never log arguments, results, tokens or keys. The
// log escapes control characters, so that untrusted text cannot forge a line.
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

// Call setup() before threads start. When threads have started, only the level of the log can be
// changed. Until setup() is called, the log writes only warnings and errors, as text.
void setup(Level level, Format format);
bool enabled(Level level);

// `component` is the folder of the code that logs: "plugin", "transport".
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
