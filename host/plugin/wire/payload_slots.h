// Large payloads between host and worker, in shared memory. The host makes a memory file, seals its
// size, and passes it to the worker. Frames refer to a piece by slot and length, so payloads keep
// the order of the frames. If no slot is free, the frame itself has the bytes, so neither side ever
// waits.
//
//     one word a slot, 0: free, 1: being filled, 2: full | up to kPayloadHeaderBytes |
//     the slots of the worker's payloads | those of the host's
//
// Both sides map the file. That is safe, because nobody can make it shorter. The plugin can write
// to it at any time, so the host copies a payload and uses only the copy. Memory pages are
// allocated at first use.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace host::plugin {

constexpr std::uint32_t kPayloadSlots = 8;  // in each direction
constexpr std::size_t kPayloadSlotBytes = 1024u << 10u;
constexpr std::size_t kPayloadHeaderBytes = 4096;
constexpr std::size_t kPayloadFileBytes =
    kPayloadHeaderBytes + 2 * kPayloadSlots * kPayloadSlotBytes;
constexpr std::size_t kLeastPayloadBytes = 256u << 10u;  // smaller payloads are sent in frames

struct PayloadPiece {
  std::uint32_t slot = 0;  // from 0: first the worker's, then the host's
  std::uint32_t bytes = 0;
};

// Invalid if the system refuses it. Then everything is sent in frames.
UniqueFd make_payload_file();

// One side of the shared memory. Any thread.
class PayloadSlots {
 public:
  enum class End : std::uint8_t { Worker, Host };

  explicit PayloadSlots(End end) : end_(end) {}
  PayloadSlots(const PayloadSlots&) = delete;
  PayloadSlots& operator=(const PayloadSlots&) = delete;
  ~PayloadSlots();

  // Without a file, or if the file cannot be mapped, put() and take() always fail.
  void map(int file);

  // Stores one piece. nullopt: the piece is smaller than kLeastPayloadBytes, or no slot is free.
  std::optional<PayloadPiece> put(std::string_view bytes);
  // Stores as much of `rest` as fits, and removes it from `rest`.
  std::vector<PayloadPiece> put_begin(std::string_view& rest);
  // Appends a piece from the other side, and frees its slot. False: there is no such piece, and
  // nothing changed.
  bool take(PayloadPiece piece, std::string& out);
  // Releases the memory. Call it only while no payload is in transit.
  void trim();

 private:
  const End end_;
  char* at_ = nullptr;
  std::atomic<bool> used_ = false;  // since the last trim()
};

}  // namespace host::plugin
