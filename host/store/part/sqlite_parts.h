// Makes the parts of a store, such as the ApprovalStore. The tables of all parts are in one
// database. `database` must outlive each part.
#pragma once

#include <filesystem>
#include <memory>

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
#include "store/sqlite/secret_box.h"
#include "store/sqlite/sqlite.h"

namespace host::store {

std::unique_ptr<ApprovalStore> approvals_in(Sqlite& database, const Clock& clock,
                                            const ApprovalBounds& bounds);
std::unique_ptr<RuleStore> rules_in(Sqlite& database);
std::unique_ptr<KeyStore> keys_in(Sqlite& database, const Clock& clock);
std::unique_ptr<TotpStore> codes_in(Sqlite& database, SecretBox& box);
// Encrypts the secrets of one-time codes that an older host stored in clear text or with an old
// key. After an Error, seal_codes() has changed no secret. After seal_codes(), the file contains no
// secret of a one-time code in clear text.
Result<void> seal_codes(Sqlite& database, SecretBox& box);
// `file` is the file of the database.
std::unique_ptr<IdempotencyStore> idempotency_in(Sqlite& database,
                                                 const std::filesystem::path& file,
                                                 const Clock& clock,
                                                 const IdempotencyBounds& bounds);
std::unique_ptr<HostStore> hosts_in(Sqlite& database, const Clock& clock);
std::unique_ptr<FileStore> files_in(Sqlite& database, SecretBox& box);
std::unique_ptr<PinStore> pins_in(Sqlite& database);
std::unique_ptr<OfferStore> offers_in(Sqlite& database, SecretBox& box);
std::unique_ptr<KvStore> kv_in(Sqlite& database, const Clock& clock);
std::unique_ptr<ClientContextStore> client_contexts_in(Sqlite& database);
std::unique_ptr<SessionStore> sessions_in(Sqlite& database, const Clock& clock);
std::unique_ptr<RecordStore> records_in(Sqlite& database);
std::unique_ptr<WebhookStore> webhooks_in(Sqlite& database, SecretBox& box, const Clock& clock,
                                          const WebhookBounds& bounds);
// Seals the secrets of webhooks with the current key, if some are sealed with an old key.
Result<void> seal_webhooks(Sqlite& database, SecretBox& box);

std::unique_ptr<UpstreamLoginStore> upstream_logins_in(Sqlite& database, SecretBox& box);
// Seals logins with the current key, if some are sealed with an old key.
Result<void> seal_upstream_logins(Sqlite& database, SecretBox& box);

// An SQL condition that is true if the session with the id in the column `session` has ended.
#define TP_SESSION_HAS_ENDED \
  "session NOT IN (SELECT id FROM session UNION ALL SELECT id FROM client_context)"

// Returns the Error for a list whose client wants the entries after an entry that does not exist
// any more. An empty list would wrongly mean that there are no more entries.
inline Error gone_before(const std::string& entry) {
  return {ErrorKind::InvalidArgument,
          "after: this " + entry +
              " is not in the list any more. Read the list again from its beginning."};
}

// Adds a rule. Call insert_rule() within a transaction. The function insert_rule() also removes
// rules that were stored long ago (kKeepOfSessions in rule_store.cpp) for sessions that have ended.
Result<void> insert_rule(Sqlite& database, const RuleRecord& rule);

}  // namespace host::store
