// How far the operator believes what a tool says in favour of its own calls.
#pragma once

#include <cstdint>

namespace host::config {

enum class Trust : std::uint8_t {
  Full,      // that it only reads, and that its own check allows a call
  ReadOnly,  // only that it only reads
  None,      // neither: only rules, modes and people allow its calls
};

}  // namespace host::config
