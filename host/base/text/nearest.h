// Finds the candidate that is most similar to a misspelt word, for messages like "did you mean".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host {

// Returns the most similar candidate. The returned text is empty if no candidate is similar. A
// candidate is similar if at most a third of the letters of `word` would have to change, or up to
// two letters in a short word.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// Returns `did you mean "port"?`, or the list of all candidates if no candidate is similar.
std::string suggest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace host
