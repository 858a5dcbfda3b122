#include "permission/shell/acts.h"

#include <algorithm>
#include <utility>

namespace host::permission::shell {
namespace {

constexpr int kMaxDepth = 4;
constexpr std::size_t kMaxActs = 4096;

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
  // The shell reads the commands that follow with other words than those that are written.
  if (acts_.back().name() == "alias") return fail("it defines an alias");
  add_inner(segment, words, depth);
}

void Acts::add_inner(const Segment& segment, std::span<const Word> words, int depth) {
  const auto inner = find_inner(words, reads_stdin(segment));
  if (!inner) return;
  if (!inner->trouble.empty()) fail(inner->trouble);
  for (const std::span<const Word> command : inner->commands)
    add_command(segment, completed(command, *inner), depth + 1);
  for (const std::string& script : inner->scripts) add_text(script, depth);
  if (inner->guess != Guess::None) guess(segment, words, *inner);
}

std::span<const Word> Acts::completed(std::span<const Word> words, const Inner& inner) {
  if (!inner.appends && inner.replaces.empty()) return words;
  std::vector<Word>& made = completed_.emplace_back(words.begin(), words.end());
  const auto leave_open = [](Word& word) {
    word.literal = false;
    word.shape.assign(1, kHole);
  };
  for (Word& word : made) {
    if (!inner.replaces.empty() && word.text.find(inner.replaces) != std::string::npos)
      leave_open(word);
  }
  if (inner.appends) leave_open(made.emplace_back());
  return made;
}

// Every word may begin a command.
void Acts::guess(const Segment& segment, std::span<const Word> words, const Inner& inner) {
  guesses_ = true;
  std::vector<Act>& into = inner.guess == Guess::ForAll ? acts_ : possible_;
  words = completed(words, inner);
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (acts_.size() + possible_.size() >= kMaxActs) return fail("commands are nested too deeply");
    into.push_back({&segment, words.subspan(at)});
  }
}

void Acts::add_text(std::string text, int depth) {
  if (depth >= kMaxDepth) return fail("commands are nested too deeply");
  texts_.push_back(std::move(text));
  inner_.push_back(scan(texts_.back(), place_));
  add_script(inner_.back(), depth + 1);
}

}  // namespace host::permission::shell
