// The manifest is the description of a plugin's library. A probe or worker process reads the
// manifest from the library and sends it to the host. The host checks the manifest.
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
  std::string config_schema;  // empty: any settings are valid
  bool pin = false;
  bool needs_inline = false;
  bool no_inline = false;
  bool serial = false;
  // The optional extensions that the plugin offers.
  bool has_resources = false;
  bool has_prompts = false;
  bool completes = false;
  bool has_state = false;
  tool::Intercepts intercepts;
  std::vector<std::string> permissions;
  std::vector<tool::Declaration> tools;  // the index of a tool is also its number in the library
};

// Reads a manifest. read_manifest() refuses the whole manifest for any fault: a wrong shape, a
// missing required text, contradicting flags, or a tool name that is not valid, reserved or used
// twice.
Result<Manifest> read_manifest(std::string_view text);

}  // namespace host::plugin
