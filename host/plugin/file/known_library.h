// The description of a validated library and of its first instance's offer, stored for the next
// host. That host uses it until its own worker has sent its description.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::plugin {

struct KnownLibrary {
  std::string manifest;
  std::string resources;  // its lists, as texts; empty: it offers none
  std::string prompts;
};

// Convert a description to one text, and back. nullopt: the text is not valid.
std::string pack(const KnownLibrary& known);
std::optional<KnownLibrary> unpack(std::string_view text);

}  // namespace host::plugin
