#include "permission/shell/suggest.h"

#include <algorithm>
#include <string_view>

#include "permission/shell/runners.h"

namespace host::permission::shell {
namespace {

constexpr std::size_t kMaxSegmentsSeen = 5;

constexpr std::string_view kNeedNone[] = {"echo", "cat",   "ls",     "pwd",  "cd",
                                          "true", "false", "printf", "grep", "tee"};

constexpr std::string_view kSafeVariables[] = {"NODE_ENV",
                                               "PYTHONUNBUFFERED",
                                               "RUST_LOG",
                                               "LANG",
                                               "TERM",
                                               "NO_COLOR",
                                               "FORCE_COLOR",
                                               "DEBUG",
                                               "VERBOSE",
                                               "CI",
                                               "PATH",
                                               "HOME",
                                               "USER",
                                               "SHELL",
                                               "EDITOR",
                                               "PAGER",
                                               "TZ",
                                               "LC_ALL",
                                               "LC_CTYPE",
                                               "COLUMNS",
                                               "LINES",
                                               "CLICOLOR",
                                               "CLICOLOR_FORCE"};

// Variables that select programs, or files that programs obey.
constexpr std::string_view kSteering[] = {"PATH", "HOME", "SHELL", "EDITOR", "PAGER", "USER"};

// True if the word can be used in a rule unchanged: it has no blanks, wildcards or characters that
// are special in a shell.
bool is_simple(const Word& word) {
  return word.literal && !word.wildcard && !word.text.empty() &&
         std::all_of(word.text.begin(), word.text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("_-./@%+,=").find(c) != std::string_view::npos;
         });
}

// False for options, because an option does not identify a command.
bool is_suggestible(const Segment& segment) {
  if (segment.words.size() < 2 || is_one_of(kNeedNone, segment.command())) return false;
  // Such a rule would allow any program.
  if (runs_programs(segment.words)) return false;
  for (const std::string& name : segment.variables) {
    if (!is_one_of(kSafeVariables, name)) return false;
  }
  return is_simple(segment.words[0]) && is_simple(segment.words[1]) &&
         !segment.words[1].text.starts_with('-');
}

// The whole command. Empty: it has words that no rule can name.
std::string content_for(const Segment& segment) {
  std::string content = segment.words[0].text + " " + segment.words[1].text;
  for (std::size_t i = 2; i < segment.words.size(); ++i) {
    if (!is_simple(segment.words[i])) return {};
    content += " " + segment.words[i].text;
  }
  return content;
}

}  // namespace

bool has_harmless_variables(const Segment& segment) {
  return std::all_of(segment.variables.begin(), segment.variables.end(),
                     [](const std::string& name) {
                       return is_one_of(kSafeVariables, name) && !is_one_of(kSteering, name);
                     });
}

std::vector<std::string> suggest(const Script& script) {
  std::vector<std::string> contents;
  const std::size_t count = std::min(script.segments.size(), kMaxSegmentsSeen);
  for (std::size_t i = 0; i < count; ++i) {
    const Segment& segment = script.segments[i];
    if (!is_suggestible(segment)) continue;
    std::string content = content_for(segment);
    if (content.empty()) continue;
    if (std::find(contents.begin(), contents.end(), content) == contents.end()) {
      contents.push_back(std::move(content));
    }
  }
  return contents;
}

}  // namespace host::permission::shell
