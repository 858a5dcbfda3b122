// Which names are meant by `*.cpp`, `src/**` or `docs/**/*.md`.
#pragma once

#include <string>
#include <string_view>

// `*` and `?` stop at a slash, `**` does not, `[a-z]` and `[!a-z]` are one of a set, `\x` is x. A
// pattern without a slash is about the last part of `path` alone. Never worse than the product of
// both lengths.
bool name_fits(std::string_view pattern, std::string_view path);
