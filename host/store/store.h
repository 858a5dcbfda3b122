// All that a host keeps, in one place: what one of its parts acknowledged outlives the process.
// Every call blocks; one thread at a time, see store/desk.h. Other processes may have the same
// store open: the command line, a second host.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "store/approval_store.h"
#include "store/host_store.h"
#include "store/idempotency_store.h"
#include "store/key_store.h"
#include "store/kv_store.h"
#include "store/rule_store.h"
#include "store/session_store.h"
#include "store/task_store.h"
#include "store/totp_store.h"

namespace host::store {

// A file, and where it was when it was opened.
struct StorePlace {
  std::filesystem::path file;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  // Nothing: there is no such file.
  static std::optional<StorePlace> of(const std::filesystem::path& file);
  // Why what is written to the open file is lost; empty: the file still has its name. Any thread.
  std::string loss() const;
};

class Store {
 public:
  virtual ~Store() = default;

  // Each lives as long as this.
  virtual ApprovalStore& approvals() = 0;
  virtual RuleStore& rules() = 0;
  virtual KeyStore& keys() = 0;
  virtual TotpStore& codes() = 0;
  virtual KvStore& kv() = 0;
  virtual SessionStore& sessions() = 0;
  virtual TaskStore& tasks() = 0;
  virtual IdempotencyStore& idempotency() = 0;
  virtual HostStore& hosts() = 0;

  // Why the last attempt to write failed, where the store is to blame: a full or broken disk, a
  // damaged file. Empty: it did not. What is there can be read all the same, mostly.
  virtual std::string fault() const = 0;
  // Writes what is there already: whether it would go.
  virtual Result<void> probe() = 0;
  // The file that is open; nothing: there is none.
  virtual std::optional<StorePlace> place() const { return std::nullopt; }
};

// Whole: the file is read first, some 2 ms a MiB, and refused where it is damaged.
enum class Check { None, Whole };

struct StoreOptions {
  ApprovalBounds approvals;
  Check check = Check::None;
  IdempotencyBounds idempotency = {};
};

// Makes the file where absent, brings an older one up to date.
Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& file,
                                                 const Clock& clock, StoreOptions options = {});

}  // namespace host::store
