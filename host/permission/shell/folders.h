// Follows the changes of folder in a script, so that a relative path is looked up in each folder in
// which its command could run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "permission/path/budget.h"
#include "permission/path/real_path.h"
#include "permission/shell/words.h"

namespace host::permission::shell {

class Folders {
 public:
  Folders(const Place& start, Budget& budget) : places_{start}, budget_(&budget) {}

  // Returns the folders in which the next segment of the script could run. A `cd` can fail or run
  // in a pipe, so the folder before the `cd` stays in the list.
  const std::vector<Place>& places() const { return places_; }

  // Returns the reason why places() can be incomplete, or why `~` can be an unknown folder. Returns
  // an empty text if places() contains all possible folders.
  const std::string& unknown() const { return unknown_; }

  // Adds the folders to which this segment could change.
  void follow(const Segment& segment);

  // Adds each folder to which `cd text` could lead from one of the current places.
  void lead_to(std::string_view text);

  // Sets the text that unknown() returns, unless unknown() already returns a text.
  void stop(std::string_view why);

 private:
  void add(const Place& from, std::string folder);

  std::vector<Place> places_;
  std::string unknown_;
  Budget* budget_;
};

// Returns true if a segment's command is a builtin of a shell that changes the folder, such as
// `cd`.
bool changes_folder(std::string_view command);

// Returns the possible meanings of `text` as a path. If `text` begins with `~`, this is the home
// folder, or a file with this name if the `~` was quoted.
std::vector<std::string> path_readings(std::string_view text);

}  // namespace host::permission::shell
