// "Did you mean": finds the candidate that is most similar to a misspelt word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host {

// Returns the candidate. Empty if no candidate is similar, that is, if more than a third of the
// letters would have to change.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// Returns `did you mean "port"?`, or the list of all candidates if none is similar.
std::string suggest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace host
