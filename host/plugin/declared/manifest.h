// The description of a library, received from its process and checked. The text is untrusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/definition/offer.h"
#include "tool/definition/tool.h"

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
  // Optional extensions that the plugin offers.
  bool has_resources = false;
  bool has_prompts = false;
  bool completes = false;
  bool has_state = false;
  tool::Intercepts intercepts;
  std::vector<std::string> permissions;
  std::vector<tool::Declaration> tools;  // in the library's order: a tool's index is its number
};

// Refuses the whole manifest after any fault: wrong shape, a missing required text, a tool name
// that is not valid, reserved or used twice, contradicting flags.
Result<Manifest> read_manifest(std::string_view text);

}  // namespace host::plugin
