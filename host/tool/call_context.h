// What whoever stands behind a call gave along with it, for the plugin's eyes alone: never the
// model's, and in no schema. Fronts that are trusted to speak for an agent fill it in.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace host::tool {

struct CallContext {
  std::string agent;                                        // the profile that calls; empty: none
  std::map<std::string, std::string, std::less<>> values;   // plain texts by name
  std::map<std::string, std::string, std::less<>> entries;  // JSON by the name of their type

  bool operator==(const CallContext&) const = default;
};

}  // namespace host::tool
