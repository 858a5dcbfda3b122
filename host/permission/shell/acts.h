// Finds the commands that a script runs, including commands that other programs run, such as xargs
// (runners.h).
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "permission/shell/runners.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

struct Act {
  const Segment* segment;       // the segment that contains `words`
  std::span<const Word> words;  // the command and its arguments; not empty

  std::string_view name() const;  // the command's name without its folder
};

// An Acts object contains the commands that one shell script runs, also the commands of an inner
// script such as the text after `sh -c`. The script must outlive the Acts object.
class Acts {
 public:
  Acts(const Script& script, const Place& place);
  Acts(const Acts&) = delete;
  Acts& operator=(const Acts&) = delete;

  const std::vector<Act>& all() const { return acts_; }
  // Returns words of the script that could also be commands. The host uses possible() only for deny
  // and ask rules.
  const std::vector<Act>& possible() const { return possible_; }
  // Returns true if further words of the script could be commands or texts for a shell.
  bool guesses() const { return guesses_; }
  const std::deque<Script>& inner_scripts() const { return inner_; }
  const std::string& trouble() const { return trouble_; }  // empty: all was understood

 private:
  void add_script(const Script& script, int depth);
  void add_command(const Segment& segment, std::span<const Word> words, int depth);
  void add_inner(const Segment& segment, std::span<const Word> words, int depth);
  void add_text(std::string text, int depth);
  void guess(const Segment& segment, std::span<const Word> words, const Inner& inner);
  // Returns the words of a command that the wrapper program of `inner` runs. A word that the
  // wrapper program adds or changes becomes a placeholder (kHole), because its text is unknown.
  std::span<const Word> completed(std::span<const Word> words, const Inner& inner);
  void fail(std::string_view why) {
    if (trouble_.empty()) trouble_ = why;
  }

  const Place& place_;
  std::vector<Act> acts_;
  std::vector<Act> possible_;
  bool guesses_ = false;
  std::deque<Script> inner_;
  std::deque<std::vector<Word>> completed_;
  std::deque<std::string> texts_;  // the inner scripts as texts
  std::string trouble_;
};

}  // namespace host::permission::shell
