// Large payloads between the host and a worker: pieces that lie in a file in memory, which the host
// makes, seals in its size, and leaves to the worker that it starts. Frames name a piece by its
// slot and length, so the stream of frames keeps their order. Where no slot is free the bytes go in
// the frame itself: nobody ever waits for one.
//
//   one word a slot, 0: free, 1: being filled, 2: full | up to kPayloadHeaderBytes | the slots of
//   the worker's payloads | those of the host's
//
// Both ends map it, which is safe because nobody can make it shorter. The plugin can write there at
// any time: the host copies what it takes, and looks at the copy. Pages come with their first use.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace host::plugin {

constexpr std::uint32_t kPayloadSlots = 8;  // each way
constexpr std::size_t kPayloadSlotBytes = 1024u << 10u;
constexpr std::size_t kPayloadHeaderBytes = 4096;
constexpr std::size_t kPayloadFileBytes =
    kPayloadHeaderBytes + 2 * kPayloadSlots * kPayloadSlotBytes;
constexpr std::size_t kLeastPayloadBytes = 256u << 10u;  // less goes in a frame

struct PayloadPiece {
  std::uint32_t slot = 0;  // from 0: the worker's, then the host's
  std::uint32_t bytes = 0;
};

// Where the system refuses it: none, and everything goes by frames.
UniqueFd make_payload_file();

// One end of it. Any thread.
class PayloadSlots {
 public:
  enum class End : std::uint8_t { Worker, Host };

  explicit PayloadSlots(End end) : end_(end) {}
  PayloadSlots(const PayloadSlots&) = delete;
  PayloadSlots& operator=(const PayloadSlots&) = delete;
  ~PayloadSlots();

  // Without a file, or where it cannot be mapped, nothing fits and nothing is taken.
  void map(int file);

  // One piece; nothing where it is too small to gain, or no slot is free.
  std::optional<PayloadPiece> put(std::string_view bytes);
  // The begin of `rest`, as much as fits, which is taken off it.
  std::vector<PayloadPiece> put_begin(std::string_view& rest);
  // Appends a piece that the other end has put, and frees its slot; false: there is none, and
  // nothing changed.
  bool take(PayloadPiece piece, std::string& out);
  // Gives the memory back; while nothing is on its way.
  void trim();

 private:
  const End end_;
  char* at_ = nullptr;
  std::atomic<bool> used_ = false;  // since the last trim()
};

}  // namespace host::plugin
