// Where a text is in another, in a time that grows with the lengths of both, whatever they are.
// std::string_view::find() may take the product of both lengths.
#pragma once

#include <cstddef>
#include <string_view>

// npos: it is not there. `from` is at most the length of `text`.
std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from = 0);
