// One plugin library that this process has loaded. The library has the same plugin ABI as this
// host. Only library.h and library.cpp use Boost.DLL.
#pragma once

#include <toolpost/plugin.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::plugin {

// The destructor unloads the library. After the destructor, all pointers into the library are
// invalid. Only one thread at a time can use a Library.
class Library {
 public:
  // Loads the library. Loading a library runs its static constructors. Use open() only for a file
  // that passed check_elf(). In the host's own process, use open() only for a library that a probe
  // process has loaded without crashing.
  static Result<Library> open(const std::filesystem::path& absolute_path);

  Library(Library&&) noexcept;
  Library& operator=(Library&&) noexcept;
  ~Library();

  const tp_plugin& descriptor() const { return *descriptor_; }
  // Returns the JSON Schema of the plugin's settings. The text is empty if the plugin declares no
  // schema.
  Result<std::string_view> config_schema() const;
  bool pinned() const { return (descriptor_->flags & TP_PLUGIN_PIN) != 0; }

  // True if this process has mapped the file at `path`.
  static bool is_loaded(const std::filesystem::path& path);

 private:
  class Handle;
  explicit Library(std::unique_ptr<Handle> handle);
  Result<void> find_descriptor();

  std::unique_ptr<Handle> handle_;
  const tp_plugin* descriptor_ = nullptr;
};

}  // namespace host::plugin
