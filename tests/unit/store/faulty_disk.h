// A disk between SQLite and its files that fails when it is told to: one write, sync, truncation,
// deletion or opening, or from that one on all; or its power goes, and with it what was not synced.
// It is SQLite's as long as it lives; one at a time, one thread. It syncs nothing: quick, and only
// its own loss of power is survived.
#pragma once

#include <cstdint>

namespace host::store {

class FaultyDisk {
 public:
  // Of what comes after the fault: it goes well; it fails too; that, and reading.
  enum class Fault : std::uint8_t { Once, ForGood, Power };

  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  void fail(std::uint64_t nth, Fault fault);  // 1: the next one
  bool has_failed() const;
  void mend();
  // All files are closed. Of what was written and not synced each file keeps nothing, the first
  // writes, or any of them, as `seed` has it.
  void lose_unsynced(std::uint64_t seed);
};

}  // namespace host::store
