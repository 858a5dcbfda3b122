#include "plugin/wire/payload_slots.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace host::plugin {
namespace {

constexpr unsigned kNotExecutable = 0x0008;  // MFD_NOEXEC_SEAL, of Linux 6.3

constexpr std::uint32_t kFree = 0;
constexpr std::uint32_t kFilling = 1;
constexpr std::uint32_t kFull = 2;

using Word = std::atomic_ref<std::uint32_t>;
static_assert(Word::is_always_lock_free, "two processes share it");

Word word_of(char* file, std::uint32_t slot) {
  return Word(reinterpret_cast<std::uint32_t*>(file)[slot]);
}

char* place_of(char* file, std::uint32_t slot) {
  return file + kPayloadHeaderBytes + slot * kPayloadSlotBytes;
}

constexpr std::uint32_t first_slot(PayloadSlots::End end) {
  return end == PayloadSlots::End::Worker ? 0 : kPayloadSlots;
}

constexpr PayloadSlots::End other(PayloadSlots::End end) {
  using End = PayloadSlots::End;
  return end == End::Worker ? End::Host : End::Worker;
}

bool is_piece_of(PayloadPiece piece, PayloadSlots::End end) {
  const std::uint32_t first = first_slot(end);
  return piece.slot >= first && piece.slot - first < kPayloadSlots && piece.bytes > 0 &&
         piece.bytes <= kPayloadSlotBytes;
}

}  // namespace

UniqueFd make_payload_file() {
  constexpr const char* kName = "toolpost-payloads";
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  UniqueFd file(::memfd_create(kName, kFlags | kNotExecutable));
  if (!file && errno == EINVAL) file = UniqueFd(::memfd_create(kName, kFlags));
  const bool made = file && ::ftruncate(file.get(), kPayloadFileBytes) == 0 &&
                    ::fcntl(file.get(), F_ADD_SEALS, kSeals) == 0;
  if (!made) file.reset();
  return file;
}

PayloadSlots::~PayloadSlots() {
  if (at_) ::munmap(at_, kPayloadFileBytes);
}

void PayloadSlots::map(int file) {
  void* const at = ::mmap(nullptr, kPayloadFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at != MAP_FAILED) at_ = static_cast<char*>(at);
}

std::optional<PayloadPiece> PayloadSlots::put(std::string_view bytes) {
  const bool suits = bytes.size() >= kLeastPayloadBytes && bytes.size() <= kPayloadSlotBytes;
  const std::uint32_t first = first_slot(end_);
  for (std::uint32_t slot = first; at_ && suits && slot < first + kPayloadSlots; ++slot) {
    std::uint32_t free = kFree;
    if (!word_of(at_, slot).compare_exchange_strong(free, kFilling)) continue;
    used_ = true;
    std::memcpy(place_of(at_, slot), bytes.data(), bytes.size());
    word_of(at_, slot).store(kFull);
    return PayloadPiece{slot, static_cast<std::uint32_t>(bytes.size())};
  }
  return std::nullopt;
}

std::vector<PayloadPiece> PayloadSlots::put_begin(std::string_view& rest) {
  std::vector<PayloadPiece> pieces;
  while (const auto piece = put(rest.substr(0, kPayloadSlotBytes))) {
    pieces.push_back(*piece);
    rest.remove_prefix(piece->bytes);
  }
  return pieces;
}

bool PayloadSlots::take(PayloadPiece piece, std::string& out) {
  if (!at_ || !is_piece_of(piece, other(end_))) return false;
  const Word word = word_of(at_, piece.slot);
  if (word.load() != kFull) return false;
  used_ = true;
  out.append(place_of(at_, piece.slot), piece.bytes);
  word.store(kFree);
  return true;
}

void PayloadSlots::trim() {
  if (!used_.exchange(false)) return;
  ::madvise(at_ + kPayloadHeaderBytes, kPayloadFileBytes - kPayloadHeaderBytes, MADV_REMOVE);
}

}  // namespace host::plugin
