// One plugin library that is loaded in this process and has the plugin ABI of this host. Only this
// file uses Boost.DLL.
#pragma once

#include <toolpost/plugin.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::plugin {

// The destructor unloads the library. After that, all pointers into the library are invalid. One
// thread at a time.
class Library {
 public:
  // Loads the library, which runs its static constructors. Use open() only for a file that passed
  // check_elf(). Within the host's process, use it only for a library that a probe process has
  // loaded without a crash.
  static Result<Library> open(const std::filesystem::path& absolute_path);

  Library(Library&&) noexcept;
  Library& operator=(Library&&) noexcept;
  ~Library();

  const tp_plugin& descriptor() const { return *descriptor_; }
  // The JSON Schema of the plugin's settings. Empty: the plugin declares none.
  Result<std::string_view> config_schema() const;
  bool pinned() const { return (descriptor_->flags & TP_PLUGIN_PIN) != 0; }

  // True if the file at `path` is mapped in this process.
  static bool is_loaded(const std::filesystem::path& path);

 private:
  class Handle;
  explicit Library(std::unique_ptr<Handle> handle);
  Result<void> find_descriptor();

  std::unique_ptr<Handle> handle_;
  const tp_plugin* descriptor_ = nullptr;
};

}  // namespace host::plugin
