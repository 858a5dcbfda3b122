#include "permission/shell_acts.h"

#include <algorithm>
#include <array>

namespace host::permission::shell {
namespace {

constexpr int kMaxDepth = 4;
constexpr std::size_t kMaxActs = 4096;

// A command that runs the command in its arguments.
struct Wrapper {
  std::string_view name;
  std::string_view with_value;  // its short options that take the next word
  int operands = 0;             // words of its own before the command
};

constexpr std::array kWrappers = {Wrapper{"sudo", "ugpCDRThU"},
                                  Wrapper{"doas", "uC"},
                                  Wrapper{"env", "uCS"},
                                  Wrapper{"command", ""},
                                  Wrapper{"builtin", ""},
                                  Wrapper{"exec", "a"},
                                  Wrapper{"nohup", ""},
                                  Wrapper{"setsid", ""},
                                  Wrapper{"nice", "n"},
                                  Wrapper{"ionice", "cn"},
                                  Wrapper{"time", "fo"},
                                  Wrapper{"timeout", "sk", 1},
                                  Wrapper{"stdbuf", "ioe"},
                                  Wrapper{"xargs", "adEILnPs"},
                                  Wrapper{"busybox", ""},
                                  Wrapper{"chroot", "", 1},
                                  Wrapper{"!", ""}};

constexpr std::string_view kShells[] = {"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"};
constexpr std::string_view kInterpreters[] = {"python", "python2", "python3", "perl",
                                              "ruby",   "node",    "php"};

bool is_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals != 0 && equals != std::string_view::npos && text.find_first_of("/-.") > equals;
}

std::span<const Word> skip_wrapper(const Wrapper& wrapper, std::span<const Word> words) {
  std::size_t at = 1;
  int operands = wrapper.operands;
  for (; at < words.size(); ++at) {
    const std::string_view text = words[at].text;
    if (text.size() == 2 && text[0] == '-' &&
        wrapper.with_value.find(text[1]) != std::string_view::npos) {
      ++at;
    } else if (text.starts_with('-') || is_assignment(text)) {
      continue;
    } else if (operands-- <= 0) {
      break;
    }
  }
  return words.subspan(std::min(at, words.size()));
}

// The text of `sh -c TEXT`, found at the word after the first cluster of options with a c.
std::size_t command_text(std::span<const Word> words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string_view text = words[at].text;
    if (!text.starts_with('-') && !text.starts_with('+')) return 0;
    if (!text.starts_with("--") && text.find('c') != std::string_view::npos) {
      return at + 1 < words.size() ? at + 1 : 0;
    }
  }
  return 0;
}

bool has_operand(std::span<const Word> words) {
  return std::any_of(words.begin() + 1, words.end(),
                     [](const Word& word) { return !word.text.starts_with('-'); });
}

bool reads_stdin(const Segment& segment) {
  return segment.reads_pipe ||
         std::any_of(segment.redirects.begin(), segment.redirects.end(),
                     [](const Redirect& redirect) { return !redirect.writes; });
}

}  // namespace

std::string_view Act::name() const {
  const std::string_view text = words.front().text;
  const std::size_t slash = text.rfind('/');
  return slash == std::string_view::npos ? text : text.substr(slash + 1);
}

Acts::Acts(const Script& script, const Place& place) : place_(place), trouble_(script.trouble) {
  add_script(script, 0);
}

void Acts::add_script(const Script& script, int depth) {
  if (!script.trouble.empty()) fail(script.trouble);
  for (const Segment& segment : script.segments) {
    if (!segment.words.empty()) add_command(segment, segment.words, depth);
  }
}

void Acts::add_command(const Segment& segment, std::span<const Word> words, int depth) {
  if (acts_.size() >= kMaxActs || depth > kMaxDepth) {
    return fail("commands are nested too deeply");
  }
  acts_.push_back({&segment, words});
  if (!words.front().literal) return fail("the name of a command is not written out");
  add_inner(segment, words, depth);
}

void Acts::add_inner(const Segment& segment, std::span<const Word> words, int depth) {
  const std::string_view name = acts_.back().name();
  const auto wrapper = std::find_if(kWrappers.begin(), kWrappers.end(),
                                    [&](const Wrapper& each) { return each.name == name; });
  if (wrapper != kWrappers.end()) {
    const std::span<const Word> inner = skip_wrapper(*wrapper, words);
    if (!inner.empty()) add_command(segment, inner, depth + 1);
  } else if (name == "eval") {
    add_text(words.subspan(1), depth);
  } else if (name == "find") {
    for (std::size_t at = 1; at + 1 < words.size(); ++at) {
      const std::string_view text = words[at].text;
      if (text == "-exec" || text == "-execdir" || text == "-ok" || text == "-okdir") {
        add_command(segment, words.subspan(at + 1), depth + 1);
      }
    }
  } else if (is_one_of(kShells, name)) {
    const std::size_t text = command_text(words);
    if (text != 0) {
      add_text(words.subspan(text, 1), depth);
    } else if (!has_operand(words) && reads_stdin(segment)) {
      fail("a shell reads its commands from elsewhere");
    }
  } else if (is_one_of(kInterpreters, name) && words.size() == 1 && reads_stdin(segment)) {
    fail("an interpreter reads its program from elsewhere");
  }
}

void Acts::add_text(std::span<const Word> words, int depth) {
  std::string text;
  for (const Word& word : words) {
    if (!word.literal) return fail("a command inside a command is not written out");
    text.append(text.empty() ? "" : " ").append(word.text);
  }
  if (depth >= kMaxDepth) return fail("commands are nested too deeply");
  texts_.push_back(std::move(text));
  inner_.push_back(scan(texts_.back(), place_));
  add_script(inner_.back(), depth + 1);
}

}  // namespace host::permission::shell
