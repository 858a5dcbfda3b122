// The store contains all persistent data of a host. Every function blocks. Only one thread at a
// time may use the store (store/desk.h). Once a function has returned, its changes survive the end
// of the process. Other processes, such as the command line or a second host, can have the same
// store open.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "store/part/approval_store.h"
#include "store/part/client_context_store.h"
#include "store/part/file_store.h"
#include "store/part/host_store.h"
#include "store/part/idempotency_store.h"
#include "store/part/key_store.h"
#include "store/part/kv_store.h"
#include "store/part/offer_store.h"
#include "store/part/pin_store.h"
#include "store/part/record_store.h"
#include "store/part/rule_store.h"
#include "store/part/session_store.h"
#include "store/part/totp_store.h"
#include "store/part/upstream_login_store.h"
#include "store/part/webhook_store.h"

namespace host::store {

// A StorePlace contains the identity of an open file, and the file's path when it was opened.
struct StorePlace {
  std::filesystem::path file;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  // Returns the identity of a file. Returns nullopt if there is no such file.
  static std::optional<StorePlace> of(const std::filesystem::path& file);
  // Returns the reason why writes to the open file would be lost (for example because it was
  // moved). The returned text does not contain the file's path. The returned text is empty if the
  // path still leads to the open file. Any thread can call loss().
  std::string loss() const;
};

class Store {
 public:
  virtual ~Store() = default;

  // The returned references are valid as long as this Store exists.
  virtual ApprovalStore& approvals() = 0;
  virtual RuleStore& rules() = 0;
  virtual KeyStore& keys() = 0;
  virtual TotpStore& codes() = 0;
  virtual KvStore& kv() = 0;
  virtual ClientContextStore& client_contexts() = 0;
  virtual SessionStore& sessions() = 0;
  virtual RecordStore& records() = 0;
  virtual IdempotencyStore& idempotency() = 0;
  virtual HostStore& hosts() = 0;
  virtual PinStore& pins() = 0;
  virtual FileStore& files() = 0;
  virtual WebhookStore& webhooks() = 0;
  virtual UpstreamLoginStore& upstream_logins() = 0;
  virtual OfferStore& offers() = 0;

  // Runs `act` as one transaction: all writes of `act` are stored together, or none of them if
  // `act` returns an Error.
  virtual Result<void> together(const std::function<Result<void>()>& act) = 0;

  // Returns the reason why the last write failed because of the store: a full or broken disk, or a
  // damaged file. The returned text is empty if no write failed because of the store. After a
  // failed write, the store can usually still be read.
  virtual std::string fault() const = 0;
  // Tests whether the store can write, by writing existing data again.
  virtual Result<void> probe() = 0;
  // Returns the path and identity of the file that is open, or nullopt if the store has no file.
  virtual std::optional<StorePlace> place() const { return std::nullopt; }
};

// With Check::Whole, open_sqlite_store() first reads the whole file (about 2 ms per MiB). The
// function returns an Error if the file is damaged.
enum class Check { None, Whole };

struct StoreOptions {
  ApprovalBounds approvals;
  Check check = Check::None;
  IdempotencyBounds idempotency = {};
  WebhookBounds webhooks = {};
};

// Opens the store. open_sqlite_store() makes the file if it does not exist, and migrates an older
// schema.
Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& file,
                                                 const Clock& clock, StoreOptions options = {});

}  // namespace host::store
