// What a library says of itself, read back from its process and checked. The text is foreign.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/tool.h"

namespace host::plugin {

struct Manifest {
  std::string id;
  std::string name;
  std::string version;
  std::string vendor;
  std::string license;
  std::string build_info;
  std::string config_schema;  // empty: any settings
  bool pin = false;
  bool needs_inline = false;
  bool no_inline = false;
  bool serial = false;
  bool has_resources = false;  // the plugin has a table of ...
  bool has_prompts = false;
  bool completes = false;
  bool has_state = false;
  std::vector<std::string> permissions;
  std::vector<tool::Declaration> tools;  // in the library's order: a tool's place is its number
};

// Refused whole where anything is wrong: shape, a required text that is missing, a tool's name that
// is no name, the host's own or there twice, flags that contradict each other.
Result<Manifest> read_manifest(std::string_view text);

}  // namespace host::plugin
