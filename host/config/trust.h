// How far the host trusts a tool's statements that allow its own calls.
#pragma once

#include <cstdint>

namespace host::config {

enum class Trust : std::uint8_t {
  Full,      // that the tool only reads, and that its own check allows a call
  ReadOnly,  // only that the tool only reads
  None,      // neither: only rules, modes and reviewers allow its calls
};

}  // namespace host::config
