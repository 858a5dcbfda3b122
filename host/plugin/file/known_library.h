// The description of a validated library and of its first instance's offer, stored for the next
// start of the host. The host then uses the stored description until a worker has loaded the
// library and sent its description.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::plugin {

struct KnownLibrary {
  std::string manifest;
  std::string resources;  // its lists of resources as JSON text; empty: it offers none
  std::string prompts;
};

// Convert a description to one text, and back. nullopt: the text is not valid.
std::string pack(const KnownLibrary& known);
std::optional<KnownLibrary> unpack(std::string_view text);

}  // namespace host::plugin
