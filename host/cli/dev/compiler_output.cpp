#include "cli/dev/compiler_output.h"

#include <algorithm>

#include "cli/dev/lines.h"

namespace host::cli::dev {
namespace {

constexpr std::size_t kMostShown = 5;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

// "src/lib.rs:4:5" of rustc's "  --> src/lib.rs:4:5", which follows its error.
std::string_view rust_place(std::string_view line) {
  constexpr std::string_view kArrow = "--> ";
  const std::string_view text = trimmed(line);
  return text.starts_with(kArrow) ? text.substr(kArrow.size()) : std::string_view();
}

bool has(std::string_view line, std::string_view part) {
  return line.find(part) != line.npos;
}

bool is_error(std::string_view line) {
  return has(line, ": error: ") || has(line, ": fatal error: ") ||
         has(line, "undefined reference to ");
}

// Where a template was used, in g++'s words before its error, in clang's after it.
bool is_use(std::string_view line) {
  return has(line, "required from here") || has(line, "requested here");
}

bool is_rust_error(std::string_view line) {
  return (line.starts_with("error[") || line.starts_with("error: ")) &&
         !line.starts_with("error: could not compile") && !line.starts_with("error: aborting");
}

}  // namespace

CompilerOutput read_compiler_output(std::string_view text) {
  CompilerOutput out;
  const auto add = [&out](std::string line) {
    if (++out.errors <= kMostShown) out.first.push_back(std::move(line));
  };
  const std::vector<std::string_view> lines = lines_of(text);
  std::string_view instance;  // g++: the innermost template at work, until its error comes
  std::string_view use;
  std::vector<std::string_view> notes;  // clang: after the last error, the innermost first
  const auto add_notes = [&] {
    if (!out.first.empty() && out.errors <= kMostShown) {
      if (!notes.empty()) out.first.push_back("  " + std::string(notes.front()));
      if (notes.size() > 1) out.first.push_back("  " + std::string(notes.back()));
    }
    notes.clear();
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (has(line, "In instantiation of ") || has(line, "In substitution of ")) {
      instance = line;
      use = {};
    } else if (is_use(line)) {
      if (instance.empty()) {
        notes.push_back(line);
      } else {
        use = line;
      }
    } else if (is_error(line)) {
      add_notes();
      add(std::string(line));
      if (!use.empty() && out.errors <= kMostShown) {
        out.first.push_back("  " + std::string(instance));
        out.first.push_back("  " + std::string(use));
      }
      instance = use = {};
    } else if (is_rust_error(line)) {
      const std::string_view place = i + 1 < lines.size() ? rust_place(lines[i + 1]) : "";
      add((place.empty() ? "" : std::string(place) + ": ") + std::string(line));
    } else if (line.find(": warning: ") != line.npos || line.starts_with("warning: ")) {
      ++out.warnings;
      instance = use = {};
    }
  }
  add_notes();
  return out;
}

std::string last_lines(std::string_view text, std::size_t count) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::string out;
  for (std::size_t i = lines.size() > count ? lines.size() - count : 0; i < lines.size(); ++i)
    out.append(lines[i]) += '\n';
  return out;
}

}  // namespace host::cli::dev
