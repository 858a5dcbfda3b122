// handover.hpp connects the author's functions for saving and restoring state with tp.state/1.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "toolpost/ext/state.h"

namespace toolpost {
inline namespace v1 {
namespace detail {

struct Handover {
  std::string schema_id;
  std::function<std::string(void* state)> save;  // null: the plugin hands over no state
  std::function<void(void* state, std::string_view schema_id, std::string_view bytes)> restore;
};

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
