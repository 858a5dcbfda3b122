// The extensions that the host offers to plugins. Plugins in workers and inline plugins get the
// same extensions.
#pragma once

#include <string_view>

namespace host::plugin {

// Returns the table of functions of the extension with this id. The table is valid until the
// process ends. Returns nullptr if the host does not offer the extension.
const void* host_extension(std::string_view id);

}  // namespace host::plugin
