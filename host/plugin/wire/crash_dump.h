// What a dying worker says of itself: bytes in a pipe that its signal handler writes and its host
// reads after the death. Foreign on the host's side like every frame.
//
//   header (CrashDump::kHeaderBytes) | u64 frame | u64 frame ...       innermost first
//
// A frame is an offset into the plugin's library, as its ELF file counts, or kForeign.
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
  static constexpr std::size_t kHeaderBytes = 24;
  static constexpr std::size_t kMostFrames = 64;
  static constexpr std::uint64_t kForeign = ~std::uint64_t{0};
  static constexpr std::uint32_t kStackOverflow = 1;

  // As it stands in the pipe: little-endian, no padding.
  struct Header {
    std::uint32_t magic = kMagic;
    std::int32_t signal = 0;  // 0: the plugin called exit()
    std::int32_t code = 0;    // si_code
    std::uint32_t flags = 0;
    std::uint64_t call_id = 0;  // that the thread was in; 0: none
  };

  Header header;
  std::vector<std::uint64_t> frames;  // in the plugin's library alone
};
static_assert(sizeof(CrashDump::Header) == CrashDump::kHeaderBytes);

// Nothing where there is no whole header.
std::optional<CrashDump> read_crash_dump(std::string_view bytes);

// Why, beyond the signal's name: "no such address", "stack overflow"; empty: nothing to add.
std::string describe(const CrashDump::Header& header);

}  // namespace host::plugin
