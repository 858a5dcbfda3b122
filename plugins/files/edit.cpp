#include "edit.h"

#include <algorithm>
#include <vector>

#include <toolpost/toolpost.hpp>

#include "roots/find_text.h"
#include "text_file.h"

namespace {

constexpr std::size_t kLinesTold = 10;

std::size_t line_at(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

std::string without_cr(std::string_view text) {
  std::string out(text);
  std::erase(out, '\r');
  return out;
}

[[noreturn]] void not_there(std::string_view text, std::string_view old) {
  std::string message = "old is not in the file: it has to be the very text, spaces and all";
  if (text.find('\r') != text.npos && find_text(without_cr(text), without_cr(old)) != text.npos)
    message += "; the file's lines end in CR LF (\\r\\n), and old must have them too";
  throw toolpost::Error(message);
}

// How often a text is there, and the first places.
struct Occurrences {
  std::size_t count = 0;
  std::vector<std::size_t> first;
};

Occurrences occurrences(std::string_view text, std::string_view old) {
  Occurrences found;
  for (std::size_t from = 0, at; (at = find_text(text, old, from)) != text.npos;
       from = at + old.size()) {
    if (++found.count <= kLinesTold) found.first.push_back(at);
  }
  return found;
}

[[noreturn]] void not_once(std::string_view text, const Occurrences& found) {
  std::string lines;
  for (const std::size_t at : found.first)
    lines += (lines.empty() ? "" : ", ") + std::to_string(line_at(text, at));
  throw toolpost::Error("old is in the file " + std::to_string(found.count) + " times, in lines " +
                        lines + (found.count > kLinesTold ? " ..." : "") +
                        ": give more of the text around it, or replace_all");
}

}  // namespace

Edited edit(std::string_view text, std::string_view old, std::string_view replacement, bool all,
            std::size_t most) {
  if (old.empty()) throw toolpost::Error("old is empty: give the text to replace");
  if (old == replacement) throw toolpost::Error("old and new are the same: nothing to do");
  const Occurrences found = occurrences(text, old);
  if (found.count == 0) not_there(text, old);
  if (found.count > 1 && !all) not_once(text, found);
  const std::size_t size =
      text.size() - found.count * old.size() + found.count * replacement.size();
  check_new_size(size, most);
  Edited edited{{}, found.count, line_at(text, found.first.front())};
  edited.text.reserve(size);
  std::size_t done = 0;
  for (std::size_t at; (at = find_text(text, old, done)) != text.npos; done = at + old.size())
    edited.text.append(text.substr(done, at - done)).append(replacement);
  edited.text.append(text.substr(done));
  return edited;
}
