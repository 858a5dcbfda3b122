// Says which statements of a plugin about its tools the host trusts. For example, a tool can
// declare that some of its calls need no approval.
#pragma once

#include <cstdint>

namespace host::config {

enum class Trust : std::uint8_t {
  Full,      // the host trusts that the tool only reads, and that its own check allows a call
  ReadOnly,  // the host trusts only the claim that the tool only reads
  None,      // the host trusts no claim: only rules, modes and reviewers allow the tool's calls
};

}  // namespace host::config
