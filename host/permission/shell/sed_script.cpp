#include "permission/shell/sed_script.h"

#include <algorithm>
#include <vector>

namespace host::permission::shell {
namespace {

struct SedLine {
  bool known = true;  // all options are
  bool quiet = false;
  std::vector<std::string_view> scripts;
  std::size_t files = 0;  // index of the first word after options and script
};

// Reads combined options like -nE or -ne. The text after an i is its suffix. An e takes the next
// word.
void read_cluster(SedLine& line, std::string_view letters, bool& wants_script) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const bool last = i + 1 == letters.size();
    switch (letters[i]) {
      case 'n':
        line.quiet = true;
        break;
      case 'E':
        break;
      case 'e':
        line.known = line.known && last;
        wants_script = true;
        break;
      case 'i':
        line.known = line.known && last;
        break;
      default:
        line.known = false;
    }
  }
}

SedLine read_line(std::span<const Word> arguments) {
  SedLine line;
  bool wants_script = false;
  std::size_t at = 0;
  for (; at < arguments.size(); ++at) {
    const std::string_view text = arguments[at].text;
    if (!arguments[at].literal) line.known = false;
    if (wants_script) {
      line.scripts.push_back(text);
      wants_script = false;
    } else if (text.size() > 1 && text[0] == '-') {
      read_cluster(line, text.substr(1), wants_script);
    } else {
      break;
    }
  }
  if (wants_script) line.known = false;
  if (line.scripts.empty() && at < arguments.size()) line.scripts.push_back(arguments[at++].text);
  line.files = at;
  return line;
}

std::string_view skip_digits(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? std::string_view() : text.substr(end);
}

bool starts_with_digit(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

bool is_print(std::string_view script) {
  if (!starts_with_digit(script)) return false;
  script = skip_digits(script);
  if (script.starts_with(',')) {
    script.remove_prefix(1);
    if (!starts_with_digit(script)) return false;
    script = skip_digits(script);
  }
  return script == "p";
}

bool is_substitution(std::string_view script) {
  if (script.size() < 4 || script[0] != 's') return false;
  const char mark = script[1];
  if (mark != '/' && mark != '|' && mark != '#') return false;
  int marks = 1;
  std::size_t at = 2;
  for (; at < script.size() && marks < 3; ++at) {
    if (script[at] == '\n') return false;
    if (script[at] == '\\') {
      ++at;
    } else if (script[at] == mark) {
      ++marks;
    }
  }
  if (marks < 3) return false;
  const std::string_view flags = script.substr(std::min(at, script.size()));
  return flags.find_first_not_of("gp0123456789") == std::string_view::npos;
}

}  // namespace

bool is_plain_sed(std::span<const Word> arguments) {
  const SedLine line = read_line(arguments);
  if (!line.known || line.scripts.empty()) return false;
  // sed takes options after its files too.
  for (const Word& file : arguments.subspan(line.files)) {
    if (file.text.starts_with('-')) return false;
  }
  return std::all_of(line.scripts.begin(), line.scripts.end(), [&](std::string_view script) {
    return is_substitution(script) || (line.quiet && is_print(script));
  });
}

std::size_t sed_files(std::span<const Word> arguments) {
  return read_line(arguments).files;
}

}  // namespace host::permission::shell
