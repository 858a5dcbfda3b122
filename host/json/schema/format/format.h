// The formats of both drafts, as assertions.
#pragma once

#include <string_view>

namespace host::json::schema {

struct Format {
  std::string_view name;
  bool (*accepts)(std::string_view text);
  std::string_view words;  // `a date such as 2026-11-21`
};

// nullptr: no format of this name is checked.
const Format* find_format(std::string_view name, bool draft7);

}  // namespace host::json::schema
