// Makes the C tables of a plugin from its Description.
#pragma once

#include <memory>

#include "toolpost/detail/callable.hpp"
#include "toolpost/detail/description.hpp"
#include "toolpost/plugin.h"

namespace toolpost {
inline namespace v1 {
namespace detail {

// The class Library contains a plugin and its ABI tables (tp_plugin). The Library object exists as
// long as the shared library is loaded, and never moves.
class Library {
 public:
  explicit Library(FunctionRef<Description()> make) noexcept;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  // Returns the tp_plugin of this plugin. Returns NULL if the plugin's description could not be
  // made.
  const tp_plugin* table() const noexcept;

 private:
  struct Tables;
  struct Instance;

  std::unique_ptr<Tables> tables_;
};

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/library.ipp"
#endif
