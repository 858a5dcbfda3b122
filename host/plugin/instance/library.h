// One shared library in this process that is known to speak this ABI. Only this file uses
// Boost.DLL.
#pragma once

#include <toolpost/plugin.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::plugin {

// Closes the library when destroyed. All its pointers are invalid then. One thread at a time.
class Library {
 public:
  // Runs the library's constructors. Use it only on a file that passed check_elf(), and in the host
  // only on a library that a probe process loaded without crashing.
  static Result<Library> open(const std::filesystem::path& absolute_path);

  Library(Library&&) noexcept;
  Library& operator=(Library&&) noexcept;
  ~Library();

  const tp_plugin& descriptor() const { return *descriptor_; }
  // The JSON Schema of its settings; empty: none.
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
