// Passes large payloads between host and worker in shared memory. The host makes a memory file,
// seals its size, and passes it to the worker. The file is divided into slots, and each slot can
// hold one piece of a payload. A frame contains the slot's number and the piece's length, so
// payloads keep the order of the frames. If no slot is free, the bytes are sent in the frame
// itself, so neither host nor worker ever waits for a slot.
//
// The memory file begins with one word for each slot: 0 means free, 1 being filled, 2 full. At the
// offset kPayloadHeaderBytes, the slots for the worker's payloads begin. The slots for the host's
// payloads are last.
//
// Host and worker map the memory file. It is safe to map the memory file, because a sealed file
// cannot become shorter. The plugin can write to the memory file at any time, so the host copies a
// payload and uses only the copy. The system allocates memory pages when they are first used.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace host::plugin {

constexpr std::uint32_t kPayloadSlots = 8;  // the number of slots in each direction
constexpr std::size_t kPayloadSlotBytes = 1024u << 10u;
constexpr std::size_t kPayloadHeaderBytes = 4096;
constexpr std::size_t kPayloadFileBytes =
    kPayloadHeaderBytes + 2 * kPayloadSlots * kPayloadSlotBytes;
constexpr std::size_t kLeastPayloadBytes = 256u << 10u;  // frames carry smaller payloads

struct PayloadPiece {
  std::uint32_t slot = 0;  // slot number, from 0; the worker's slots are first
  std::uint32_t bytes = 0;
};

// Makes the memory file. Returns an invalid descriptor if the system refuses to make the memory
// file. Without a memory file, frames carry all payloads.
UniqueFd make_payload_file();

// The shared memory as one side (host or worker) uses it. Any thread can call the functions of
// PayloadSlots.
class PayloadSlots {
 public:
  enum class End : std::uint8_t { Worker, Host };

  explicit PayloadSlots(End end) : end_(end) {}
  PayloadSlots(const PayloadSlots&) = delete;
  PayloadSlots& operator=(const PayloadSlots&) = delete;
  ~PayloadSlots();

  // Maps the memory file. If `file` is -1 or cannot be mapped, put() and take() always fail.
  void map(int file);

  // Stores one piece of a payload in a free slot. Returns nullopt if the piece is smaller than
  // kLeastPayloadBytes or no slot is free.
  std::optional<PayloadPiece> put(std::string_view bytes);
  // Stores as much of `rest` as fits into free slots, and removes the stored part from `rest`.
  std::vector<PayloadPiece> put_begin(std::string_view& rest);
  // Appends to `out` a piece that the other process has stored, and frees the slot of the piece.
  // Returns false and changes nothing if the slot does not contain `piece`.
  bool take(PayloadPiece piece, std::string& out);
  // Returns the memory of the slots to the system. Call trim() only while no payload is in
  // transit.
  void trim();

 private:
  const End end_;
  char* at_ = nullptr;
  std::atomic<bool> used_ = false;  // a slot was used since the last trim()
};

}  // namespace host::plugin
