// The state that a build of a plugin passes to the plugin's next build.
#pragma once

#include <cstddef>
#include <string>

namespace host::plugin {

struct SavedState {
  static constexpr std::size_t kMostBytes = 16u << 20u;
  static constexpr std::size_t kMostIdBytes = 256;

  std::string schema_id;
  std::string bytes;
};

}  // namespace host::plugin
