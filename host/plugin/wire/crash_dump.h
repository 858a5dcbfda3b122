// The crash dump of a worker. The worker's signal handler writes the crash dump to a pipe, and the
// host reads it after the worker's death. The host does not trust the crash dump.
//
// A crash dump consists of a header of CrashDump::kHeaderBytes bytes, followed by one u64 for each
// stack frame.
//
// The innermost stack frame is first in the crash dump. A frame is a virtual address in the ELF
// file of the plugin's library. For code outside of this library, the frame is kForeign.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host::plugin {

struct CrashDump {
  static constexpr std::uint32_t kMagic = 0x43465054;  // "TPFC"
  static constexpr std::size_t kHeaderBytes = 32;
  static constexpr std::size_t kMostFrames = 64;
  static constexpr std::uint64_t kForeign = ~std::uint64_t{0};
  static constexpr std::uint32_t kStackOverflow = 1;
  static constexpr std::int32_t kNoSystemCall = -1;

  // The crash dump in the pipe is little-endian and has no padding.
  struct Header {
    std::uint32_t magic = kMagic;
    std::int32_t signal = 0;  // signal; 0: the plugin called exit()
    std::int32_t code = 0;    // si_code
    std::uint32_t flags = 0;
    std::uint64_t call_id = 0;  // id of the call on the crashed thread; 0: none
    // The number of the forbidden system call, if the sandbox raised SIGSYS.
    std::int32_t system_call = kNoSystemCall;
    std::uint32_t unused = 0;
  };

  Header header;
  // `frames` has one entry for each stack frame: an address in the plugin's library, or kForeign.
  std::vector<std::uint64_t> frames;
};
static_assert(sizeof(CrashDump::Header) == CrashDump::kHeaderBytes);

// Returns nullopt if the header is incomplete.
std::optional<CrashDump> read_crash_dump(std::string_view bytes);

// Returns the cause of the crash, such as "no such address" or "stack overflow", to be shown after
// the signal's name. Returns an empty text if the cause of the crash is unknown.
std::string describe(const CrashDump::Header& header);

}  // namespace host::plugin
