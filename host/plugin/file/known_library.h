// What a library said of itself when it was tried, and what its first instance offered: kept for
// the next host, which serves by it until its own worker says the same, or something else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::plugin {

struct KnownLibrary {
  std::string manifest;
  std::string resources;  // its lists, as it told them; empty: it offers none
  std::string prompts;
};

// As one text, and back; nothing where it is none of ours.
std::string pack(const KnownLibrary& known);
std::optional<KnownLibrary> unpack(std::string_view text);

}  // namespace host::plugin
