// "Did you mean": finds the candidate that is most similar to a misspelt word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host {

// Empty if no candidate is similar: if more than a third of the letters would have to change.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// `did you mean "port"?`, or the list of the candidates.
std::string suggest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace host
