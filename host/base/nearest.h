// "Did you mean": the candidate that a slip of the fingers makes of a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host {

// Empty where nothing is near: more than a third of the letters would have to change.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// `did you mean "port"?`, or the list of what there is.
std::string suggest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace host
