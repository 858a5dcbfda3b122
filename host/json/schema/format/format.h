// Finds the check for a value of the keyword `format`, as draft-07 or draft 2020-12 defines it.
#pragma once

#include <string_view>

namespace host::json::schema {

struct Format {
  std::string_view name;
  bool (*accepts)(std::string_view text);
  std::string_view words;  // for messages: `a date such as 2026-11-21`
};

// Returns nullptr if the host has no check for a format of this name.
const Format* find_format(std::string_view name, bool draft7);

}  // namespace host::json::schema
