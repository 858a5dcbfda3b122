// The extensions that the host offers to plugins, the same in a worker and inline.
#pragma once

#include <string_view>

namespace host::plugin {

// The table for this id, valid for ever; nullptr: the host does not offer it.
const void* host_extension(std::string_view id);

}  // namespace host::plugin
