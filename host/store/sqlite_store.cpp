#include <sys/stat.h>

#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/secret_box.h"
#include "store/sqlite/sqlite.h"
#include "store/store.h"

namespace host::store {
namespace {

class SqliteStore final : public Store {
 public:
  SqliteStore(const std::filesystem::path& file, std::unique_ptr<Sqlite> database,
              std::unique_ptr<SecretBox> box, const Clock& clock, const StoreOptions& options)
      : place_(StorePlace::of(file)),
        database_(std::move(database)),
        box_(std::move(box)),
        approvals_(approvals_in(*database_, clock, options.approvals)),
        rules_(rules_in(*database_)),
        keys_(keys_in(*database_, clock)),
        codes_(codes_in(*database_, *box_)),
        kv_(kv_in(*database_, clock)),
        client_contexts_(client_contexts_in(*database_)),
        sessions_(sessions_in(*database_, clock)),
        records_(records_in(*database_)),
        idempotency_(idempotency_in(*database_, file, clock, options.idempotency)),
        hosts_(hosts_in(*database_, clock)),
        pins_(pins_in(*database_)),
        files_(files_in(*database_, *box_)),
        webhooks_(webhooks_in(*database_, *box_, clock, options.webhooks)),
        upstream_logins_(upstream_logins_in(*database_, *box_)),
        offers_(offers_in(*database_, *box_)) {}

  ApprovalStore& approvals() override { return *approvals_; }
  RuleStore& rules() override { return *rules_; }
  KeyStore& keys() override { return *keys_; }
  TotpStore& codes() override { return *codes_; }
  KvStore& kv() override { return *kv_; }
  ClientContextStore& client_contexts() override { return *client_contexts_; }
  SessionStore& sessions() override { return *sessions_; }
  RecordStore& records() override { return *records_; }
  IdempotencyStore& idempotency() override { return *idempotency_; }
  HostStore& hosts() override { return *hosts_; }
  PinStore& pins() override { return *pins_; }
  FileStore& files() override { return *files_; }
  WebhookStore& webhooks() override { return *webhooks_; }
  UpstreamLoginStore& upstream_logins() override { return *upstream_logins_; }
  OfferStore& offers() override { return *offers_; }

  Result<void> together(const std::function<Result<void>()>& act) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(*database_));
    HOST_TRY(act());
    return transaction.commit();
  }

  std::string fault() const override { return database_->fault(); }
  Result<void> probe() override { return write_version_again(*database_); }
  std::optional<StorePlace> place() const override { return place_; }

 private:
  const std::optional<StorePlace> place_;
  const std::unique_ptr<Sqlite> database_;
  const std::unique_ptr<SecretBox> box_;
  const std::unique_ptr<ApprovalStore> approvals_;
  const std::unique_ptr<RuleStore> rules_;
  const std::unique_ptr<KeyStore> keys_;
  const std::unique_ptr<TotpStore> codes_;
  const std::unique_ptr<KvStore> kv_;
  const std::unique_ptr<ClientContextStore> client_contexts_;
  const std::unique_ptr<SessionStore> sessions_;
  const std::unique_ptr<RecordStore> records_;
  const std::unique_ptr<IdempotencyStore> idempotency_;
  const std::unique_ptr<HostStore> hosts_;
  const std::unique_ptr<PinStore> pins_;
  const std::unique_ptr<FileStore> files_;
  const std::unique_ptr<WebhookStore> webhooks_;
  const std::unique_ptr<UpstreamLoginStore> upstream_logins_;
  const std::unique_ptr<OfferStore> offers_;
};

}  // namespace

std::optional<StorePlace> StorePlace::of(const std::filesystem::path& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return std::nullopt;
  return StorePlace{file, about.st_dev, about.st_ino};
}

std::string StorePlace::loss() const {
  const auto now = of(file);
  if (now && now->device == device && now->inode == inode) return {};
  return std::string("the store's file was ") + (now ? "replaced" : "removed") +
         " while the host runs, so what it stores is lost: stop the host, put the file back if you "
         "have it, and start the host again";
}

Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& file,
                                                 const Clock& clock, StoreOptions options) {
  HOST_TRY_ASSIGN(std::unique_ptr<Sqlite> database, Sqlite::open(file));
  if (options.check == Check::Whole) HOST_TRY(database->check_whole());
  HOST_TRY(bring_up_to_date(*database));
  auto box = std::make_unique<SecretBox>(file);
  HOST_TRY(seal_codes(*database, *box));
  HOST_TRY(seal_webhooks(*database, *box));
  HOST_TRY(seal_upstream_logins(*database, *box));
  return std::unique_ptr<Store>(
      std::make_unique<SqliteStore>(file, std::move(database), std::move(box), clock, options));
}

}  // namespace host::store
