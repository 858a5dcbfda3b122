#include "plugin/wire/crash_dump.h"

#include <signal.h>

#include <algorithm>
#include <cstring>

namespace host::plugin {
namespace {

const char* reason_of(int signal, int code) {
  if (code <= 0) return signal == SIGABRT ? nullptr : "sent by a process";
  if (signal == SIGSEGV && code == SEGV_MAPERR) return "no such address";
  if (signal == SIGSEGV && code == SEGV_ACCERR) return "no right to that address";
  if (signal == SIGBUS && code == BUS_ADRERR) return "beyond the end of a mapped file";
  if (signal == SIGBUS && code == BUS_ADRALN) return "misaligned address";
  if (signal == SIGFPE && code == FPE_INTDIV) return "integer division by zero";
  if (signal == SIGSYS) return "a system call that its sandbox forbids";
  if (signal == SIGILL) return "illegal instruction";
  return nullptr;
}

}  // namespace

std::optional<CrashDump> read_crash_dump(std::string_view bytes) {
  CrashDump dump;
  if (bytes.size() < CrashDump::kHeaderBytes) return std::nullopt;
  std::memcpy(&dump.header, bytes.data(), CrashDump::kHeaderBytes);
  if (dump.header.magic != CrashDump::kMagic) return std::nullopt;
  bytes.remove_prefix(CrashDump::kHeaderBytes);
  const std::size_t count = std::min(bytes.size() / sizeof(std::uint64_t), CrashDump::kMostFrames);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t frame = 0;
    std::memcpy(&frame, bytes.data() + i * sizeof frame, sizeof frame);
    if (frame != CrashDump::kForeign) dump.frames.push_back(frame);
  }
  return dump;
}

std::string describe(const CrashDump::Header& header) {
  if (header.signal == 0) return "the plugin called exit()";
  if (header.flags & CrashDump::kStackOverflow) return "stack overflow";
  const char* const reason = reason_of(header.signal, header.code);
  return reason ? reason : "";
}

}  // namespace host::plugin
