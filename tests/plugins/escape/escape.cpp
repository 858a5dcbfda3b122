// escape: tries what its argument says and tells what came of it. ESCAPE_READ_ONLY makes the build
// whose tool claims that it only reads.
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include <toolpost/toolpost.hpp>

#include "attempts.h"

namespace {

struct Attempt {
  std::string what;
  std::optional<std::string> target;

  TOOLPOST_FIELDS(Attempt, TOOLPOST_FIELD(what), TOOLPOST_FIELD(target))
};

std::string attempt(const Attempt& args) {
  return escape::attempt(args.what, args.target.value_or(""));
}

struct What {
  std::string what;

  TOOLPOST_FIELDS(What, TOOLPOST_FIELD(what))
};

std::string attempt_at_nothing(const What& wanted) {
  return escape::attempt(wanted.what);
}

struct Variable {
  std::string name;

  TOOLPOST_FIELDS(Variable, TOOLPOST_FIELD(name))
};

std::string variable(const Variable& args) {
  const char* value = std::getenv(args.name.c_str());
  return value != nullptr ? value : "unset";
}

// Where ESCAPE_AT_LOAD names a file, loading writes it; in a trial, with "--probe" behind its name.
[[gnu::constructor]] void write_at_load() {
  const char* file = std::getenv("ESCAPE_AT_LOAD");
  if (file == nullptr) return;
  std::ifstream line("/proc/self/cmdline");
  std::string name;
  std::string flag;
  std::getline(line, name, '\0');
  std::getline(line, flag, '\0');
  escape::attempt("write", file + flag);
}

#if defined(ESCAPE_READ_ONLY)
constexpr bool kReadOnly = true;
#else
constexpr bool kReadOnly = false;
#endif

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<>({.id = "io.toolpost.test.escape",
                                    .name = "Escape",
                                    .version = TOOLPOST_VERSION})
                    .tool("attempt", "Tries something", attempt, {.read_only = kReadOnly})
                    .tool("attempt_reading", "Tries something", attempt, {.read_only = true})
                    .tool("variable", "Tells a variable", variable, {.read_only = true})
                    .resource_template("escape://{what}", "attempt", "Tries something",
                                       "text/plain", attempt_at_nothing)
                    .prompt("attempt", "Tries something", attempt))
