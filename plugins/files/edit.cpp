#include "edit.h"

#include <algorithm>
#include <vector>

#include <toolpost/toolpost.hpp>

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
  if (text.find('\r') != text.npos && without_cr(text).find(without_cr(old)) != std::string::npos)
    message += "; the file's lines end in CR LF (\\r\\n), and old must have them too";
  throw toolpost::Error(message);
}

}  // namespace

Edited edit(std::string_view text, std::string_view old, std::string_view replacement, bool all,
            std::size_t most) {
  if (old.empty()) throw toolpost::Error("old is empty: give the text to replace");
  if (old == replacement) throw toolpost::Error("old and new are the same: nothing to do");
  std::vector<std::size_t> found;
  for (std::size_t at = text.find(old); at != text.npos; at = text.find(old, at + old.size()))
    found.push_back(at);
  if (found.empty()) not_there(text, old);
  if (found.size() > 1 && !all) {
    std::string lines;
    for (std::size_t i = 0; i < std::min(found.size(), kLinesTold); ++i)
      lines += (i == 0 ? "" : ", ") + std::to_string(line_at(text, found[i]));
    throw toolpost::Error("old is in the file " + std::to_string(found.size()) +
                          " times, in lines " + lines + (found.size() > kLinesTold ? " ..." : "") +
                          ": give more of the text around it, or replace_all");
  }
  const std::size_t size =
      text.size() - found.size() * old.size() + found.size() * replacement.size();
  if (size > most)
    throw toolpost::Error("the file would have " + std::to_string(size) + " bytes; at most " +
                          std::to_string(most) + " (max_file_bytes)");
  Edited edited{{}, found.size(), line_at(text, found.front())};
  edited.text.reserve(size);
  std::size_t done = 0;
  for (const std::size_t at : found) {
    edited.text.append(text.substr(done, at - done)).append(replacement);
    done = at + old.size();
  }
  edited.text.append(text.substr(done));
  return edited;
}
