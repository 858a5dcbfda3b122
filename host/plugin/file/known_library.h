// A KnownLibrary is the description of a validated library, with the resources and prompts that the
// library offered. The host stores the description for its next start. At its next start, the host
// uses the stored description until a worker has loaded the library and sent a new description.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::plugin {

struct KnownLibrary {
  std::string manifest;
  std::string resources;  // JSON; empty: the library offers no resources
  std::string prompts;
};

// pack() converts a description to one text, and unpack() converts it back. nullopt means that the
// text is not valid.
std::string pack(const KnownLibrary& known);
std::optional<KnownLibrary> unpack(std::string_view text);

}  // namespace host::plugin
