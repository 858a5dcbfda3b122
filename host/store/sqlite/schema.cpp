#include "store/sqlite/schema.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>

#include "store/sqlite/schema_look.h"

namespace host::store {
namespace {

// Only added to: what was shipped stays. The first says IF NOT EXISTS, for it was once all there
// was, in a database without a number.
//
// kv: a session is written to when one of its keys is. kv_usage counts a plugin's rows, so that a
// quota costs no scan, and its versions, so that none comes twice.
//
// `agent`: whom a key, question or rule is for alone; empty: the host as a whole.
//
// totp: `secret` is sealed with the key of the id `seal_key` (secret_box.h); empty: in clear, until
// it is opened the next time.
//
// client_context (once called session), task: `owner` is the address at which a host serves them.
//
// idempotency: answers that are kept. `place` is in the order of their ends. Calls that run have no
// row: see claim_file.h. A call that waits for its client has its claim in call_record.
//
// host: one that serves now, or that ended without saying so: `process` tells it from a later
// process with the same pid. plugin_order: state is OrderState.
//
// approval: times are milliseconds since 1970, state is ApprovalState, lists are JSON. Of the
// secrets of keys, links and logins the SHA-256.
constexpr const char* kSteps[] = {
    R"(
CREATE TABLE IF NOT EXISTS kv (
  plugin TEXT NOT NULL, session TEXT NOT NULL, key BLOB NOT NULL,
  value BLOB NOT NULL, version INTEGER NOT NULL, written INTEGER NOT NULL,
  PRIMARY KEY (plugin, session, key)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS kv_sessions ON kv (session, written) WHERE session <> '';
CREATE TABLE IF NOT EXISTS kv_usage (
  plugin TEXT PRIMARY KEY, bytes INTEGER NOT NULL, keys INTEGER NOT NULL,
  last_version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
)",
    R"(
CREATE TABLE approval (
  id TEXT PRIMARY KEY,
  principal TEXT NOT NULL, session TEXT NOT NULL, provider TEXT NOT NULL, tool TEXT NOT NULL,
  definition BLOB NOT NULL, digest BLOB NOT NULL, arguments TEXT NOT NULL,
  reason TEXT NOT NULL, suggestions TEXT NOT NULL, covered TEXT NOT NULL,
  created INTEGER NOT NULL, expires INTEGER NOT NULL, state INTEGER NOT NULL,
  decided INTEGER NOT NULL, decided_by TEXT NOT NULL, note TEXT NOT NULL, edited TEXT NOT NULL
) STRICT;
CREATE INDEX approval_by_call ON approval (principal, tool, digest, created);
CREATE INDEX approval_open ON approval (expires) WHERE state IN (0, 1);
CREATE INDEX approval_by_time ON approval (created);
)",
    R"(
CREATE TABLE api_key (
  id TEXT PRIMARY KEY, principal TEXT NOT NULL, scopes INTEGER NOT NULL, secret BLOB NOT NULL,
  created INTEGER NOT NULL, revoked INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE login_link (
  secret BLOB PRIMARY KEY, principal TEXT NOT NULL, scopes INTEGER NOT NULL,
  expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE page_login (
  secret BLOB PRIMARY KEY, principal TEXT NOT NULL, scopes INTEGER NOT NULL, key TEXT NOT NULL,
  expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
)",
    R"(
ALTER TABLE approval ADD COLUMN needs_code INTEGER NOT NULL DEFAULT 0;
CREATE TABLE totp (
  principal TEXT PRIMARY KEY, secret BLOB NOT NULL, confirmed INTEGER NOT NULL,
  enrolled INTEGER NOT NULL, last_step INTEGER NOT NULL, failures INTEGER NOT NULL,
  failing_since INTEGER NOT NULL, locked_until INTEGER NOT NULL, recovery BLOB NOT NULL
) STRICT, WITHOUT ROWID;
)",
    R"(
ALTER TABLE approval ADD COLUMN rules TEXT NOT NULL DEFAULT '[]';
CREATE TABLE rule (
  id TEXT PRIMARY KEY, rule TEXT NOT NULL, source TEXT NOT NULL, created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)",
    R"(
ALTER TABLE api_key ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE approval ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE rule ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE rule ADD COLUMN session TEXT NOT NULL DEFAULT '';
)",
    R"(
CREATE TABLE session (
  id TEXT PRIMARY KEY, principal TEXT NOT NULL, agent TEXT NOT NULL, owner TEXT NOT NULL,
  version TEXT NOT NULL, abilities INTEGER NOT NULL, log_level INTEGER NOT NULL,
  followed TEXT NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_use ON session (used);
CREATE TABLE task (
  id TEXT PRIMARY KEY, principal TEXT NOT NULL, tool TEXT NOT NULL, status INTEGER NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, ttl INTEGER NOT NULL,
  poll_interval INTEGER NOT NULL, questions TEXT NOT NULL, asked INTEGER NOT NULL,
  outcome TEXT NOT NULL, owner TEXT NOT NULL) STRICT;
)",
    R"(
ALTER TABLE totp ADD COLUMN seal_key TEXT NOT NULL DEFAULT '';
)",
    // A yes of before says nothing of a build, so that no call meets it.
    R"(
ALTER TABLE approval ADD COLUMN build TEXT NOT NULL DEFAULT '';
)",
    // Logins from before had no second secret, and end.
    R"(
DROP TABLE page_login;
CREATE TABLE page_login (
  id TEXT PRIMARY KEY, secret BLOB NOT NULL UNIQUE, page_secret BLOB NOT NULL,
  principal TEXT NOT NULL, scopes INTEGER NOT NULL, key TEXT NOT NULL, created INTEGER NOT NULL,
  expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
)",
    // 0: never.
    R"(
ALTER TABLE api_key ADD COLUMN expires INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN successor TEXT NOT NULL DEFAULT '';
)",
    // Requests from before name no schema: a reviewer's arguments are validated when the call runs.
    R"(
ALTER TABLE approval ADD COLUMN input_schema TEXT NOT NULL DEFAULT '';
ALTER TABLE approval ADD COLUMN presets TEXT NOT NULL DEFAULT '';
CREATE INDEX approval_settled ON approval (principal, created) WHERE state NOT IN (0, 1);
)",
    // A rule from before is for whom it was.
    R"(
ALTER TABLE rule ADD COLUMN principal TEXT NOT NULL DEFAULT '';
)",
    R"(
CREATE TABLE idempotency (
  principal TEXT NOT NULL, tool TEXT NOT NULL, key TEXT NOT NULL, arguments BLOB NOT NULL,
  holder TEXT NOT NULL, lease INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0, is_error INTEGER NOT NULL DEFAULT 0,
  content TEXT NOT NULL DEFAULT '', structured TEXT NOT NULL DEFAULT '',
  meta TEXT NOT NULL DEFAULT '', UNIQUE (principal, tool, key)) STRICT;
CREATE INDEX idempotency_room ON idempotency (principal, bytes);
CREATE INDEX idempotency_kept ON idempotency (ended) WHERE lease = 0;
CREATE INDEX idempotency_claimed ON idempotency (lease) WHERE lease > 0;
)",
    R"(
CREATE TABLE host (
  id TEXT PRIMARY KEY, address TEXT NOT NULL, pid INTEGER NOT NULL, process TEXT NOT NULL,
  started INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE plugin_order (
  id TEXT PRIMARY KEY, host TEXT NOT NULL, action TEXT NOT NULL, plugin TEXT NOT NULL,
  given_by TEXT NOT NULL, created INTEGER NOT NULL, state INTEGER NOT NULL,
  answer TEXT NOT NULL) STRICT, WITHOUT ROWID;
)",
    // Tasks become records. The states are those of tool::RecordState, which are fewer.
    R"(
CREATE TABLE call_record (
  id TEXT PRIMARY KEY, session TEXT NOT NULL, principal TEXT NOT NULL, agent TEXT NOT NULL,
  tool TEXT NOT NULL, arguments TEXT NOT NULL, definition TEXT NOT NULL,
  tool_use_id TEXT NOT NULL, idempotency_key TEXT NOT NULL, made_by INTEGER NOT NULL,
  executes INTEGER NOT NULL, state INTEGER NOT NULL, reason TEXT NOT NULL, code TEXT NOT NULL,
  lease INTEGER NOT NULL, holder TEXT NOT NULL, worker TEXT NOT NULL, version INTEGER NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, heartbeat INTEGER NOT NULL,
  client_clock TEXT NOT NULL, expires INTEGER NOT NULL, poll_interval INTEGER NOT NULL,
  result TEXT NOT NULL, failure TEXT NOT NULL, questions TEXT NOT NULL, asked INTEGER NOT NULL,
  answers TEXT NOT NULL, continuation BLOB NOT NULL, round_answers TEXT NOT NULL,
  round_state BLOB NOT NULL, owner TEXT NOT NULL) STRICT;
CREATE INDEX call_record_by_owner ON call_record (owner, created);
CREATE INDEX call_record_by_expiry ON call_record (expires) WHERE expires > 0;
CREATE TABLE call_transition (
  session TEXT NOT NULL, seq INTEGER NOT NULL, record TEXT NOT NULL, tool TEXT NOT NULL,
  was INTEGER NOT NULL, became INTEGER NOT NULL, why TEXT NOT NULL, actor TEXT NOT NULL,
  at INTEGER NOT NULL, PRIMARY KEY (session, seq)) STRICT, WITHOUT ROWID;
CREATE INDEX call_transition_by_record ON call_transition (record);
CREATE TABLE call_counter (
  session TEXT PRIMARY KEY, last INTEGER NOT NULL, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO call_record
SELECT id, '', principal, '', tool, '{}', '', '', '', 0, 0,
  CASE status WHEN 0 THEN 1 WHEN 1 THEN 0 WHEN 2 THEN 2 ELSE 3 END,
  CASE status WHEN 1 THEN 'question' ELSE '' END,
  CASE status WHEN 3 THEN 'failed' WHEN 4 THEN 'cancelled' ELSE '' END,
  0, '', '', 1, created, updated, 0, '', created + ttl, poll_interval,
  CASE status WHEN 2 THEN outcome ELSE '' END, CASE status WHEN 3 THEN outcome ELSE '' END,
  questions, asked, '{}', x'', '{}', x'', owner FROM task;
DROP TABLE task;
)",
    // `session` is free for what clients mean by the word: it outlives a protocol context.
    R"(
DROP INDEX session_by_use;
ALTER TABLE session RENAME TO client_context;
CREATE INDEX client_context_by_use ON client_context (used);
)",
    // A list is JSON, or empty where it is not set. `of_client`: it ends with the client context of
    // its id.
    R"(
CREATE TABLE session (
  id TEXT PRIMARY KEY, principal TEXT NOT NULL, agent TEXT NOT NULL, version INTEGER NOT NULL,
  mode TEXT NOT NULL, working_dirs TEXT NOT NULL, groups TEXT NOT NULL, providers TEXT NOT NULL,
  context TEXT NOT NULL, tools TEXT NOT NULL, of_client INTEGER NOT NULL,
  created INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
CREATE INDEX session_by_use ON session (used);
)",
    R"(
ALTER TABLE client_context ADD COLUMN session TEXT NOT NULL DEFAULT '';
)",
    R"(
CREATE TABLE upstream_pin (
  upstream TEXT NOT NULL, tool TEXT NOT NULL, accepted TEXT NOT NULL, held TEXT NOT NULL,
  offered INTEGER NOT NULL, changed INTEGER NOT NULL, given_by TEXT NOT NULL,
  PRIMARY KEY (upstream, tool)) STRICT, WITHOUT ROWID;
)",
    // `todos`: JSON, or empty. `question`: 1 if a text answers it instead of a yes.
    R"(
ALTER TABLE session ADD COLUMN todos TEXT NOT NULL DEFAULT '';
ALTER TABLE approval ADD COLUMN question INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approval ADD COLUMN answer TEXT NOT NULL DEFAULT '';
)",
    R"(
ALTER TABLE call_record ADD COLUMN response TEXT NOT NULL DEFAULT '';
ALTER TABLE call_record ADD COLUMN response_code TEXT NOT NULL DEFAULT '';
ALTER TABLE call_record ADD COLUMN response_by TEXT NOT NULL DEFAULT '';
ALTER TABLE call_record ADD COLUMN checked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call_record ADD COLUMN twin TEXT NOT NULL DEFAULT '';
ALTER TABLE call_counter ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
)",
    // `signing_key`: `secret` is sealed, as in totp.
    R"(
CREATE TABLE file (
  id TEXT PRIMARY KEY, principal TEXT NOT NULL, name TEXT NOT NULL, content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL, sha256 BLOB NOT NULL, created INTEGER NOT NULL,
  expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX file_room ON file (principal, created, bytes);
CREATE INDEX file_by_expiry ON file (expires);
CREATE TABLE signing_key (
  purpose TEXT PRIMARY KEY, secret BLOB NOT NULL, seal_key TEXT NOT NULL) STRICT, WITHOUT ROWID;
)",
    // `secret` and `old_secret` are sealed, as in totp. `state`: 1 is a dead letter.
    R"(
CREATE TABLE webhook (
  id TEXT PRIMARY KEY, principal TEXT NOT NULL, url TEXT NOT NULL, description TEXT NOT NULL,
  events INTEGER NOT NULL, covers INTEGER NOT NULL, secret BLOB NOT NULL,
  old_secret BLOB NOT NULL, seal_key TEXT NOT NULL, old_until INTEGER NOT NULL,
  enabled INTEGER NOT NULL, reason TEXT NOT NULL, made_by TEXT NOT NULL,
  created INTEGER NOT NULL, changed INTEGER NOT NULL, waiting INTEGER NOT NULL,
  dead INTEGER NOT NULL, delivered INTEGER NOT NULL, dropped INTEGER NOT NULL,
  last_success INTEGER NOT NULL, last_failure INTEGER NOT NULL,
  failure TEXT NOT NULL) STRICT;
CREATE TABLE webhook_delivery (
  webhook TEXT NOT NULL, event TEXT NOT NULL, type INTEGER NOT NULL, body TEXT NOT NULL,
  at INTEGER NOT NULL, state INTEGER NOT NULL, attempts INTEGER NOT NULL,
  since INTEGER NOT NULL, due INTEGER NOT NULL, failure TEXT NOT NULL, taker TEXT NOT NULL,
  UNIQUE (webhook, event)) STRICT;
CREATE INDEX webhook_delivery_by_due ON webhook_delivery (webhook, state, due, event);
CREATE INDEX webhook_delivery_taken ON webhook_delivery (taker) WHERE taker <> '';
)",
    R"(
ALTER TABLE session ADD COLUMN webhooks TEXT NOT NULL DEFAULT '';
ALTER TABLE call_record ADD COLUMN webhooks TEXT NOT NULL DEFAULT '';
ALTER TABLE webhook ADD COLUMN agent TEXT NOT NULL DEFAULT '';
CREATE INDEX webhook_by_principal ON webhook (principal, waiting);
CREATE INDEX webhook_of_all ON webhook (covers) WHERE covers = 2;
)",
    // What the keys of a principal use, so that a call does not count all of them.
    R"(
DROP INDEX idempotency_room;
CREATE TABLE idempotency_used (
  principal TEXT PRIMARY KEY, keys INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO idempotency_used
  SELECT principal, COUNT(*), SUM(bytes) FROM idempotency GROUP BY principal;
CREATE TRIGGER idempotency_added AFTER INSERT ON idempotency BEGIN
  INSERT INTO idempotency_used VALUES (new.principal, 1, new.bytes)
    ON CONFLICT (principal) DO UPDATE SET keys = keys + 1, bytes = bytes + new.bytes;
END;
CREATE TRIGGER idempotency_sized AFTER UPDATE OF bytes ON idempotency BEGIN
  UPDATE idempotency_used SET bytes = bytes + new.bytes - old.bytes
    WHERE principal = new.principal;
END;
CREATE TRIGGER idempotency_removed AFTER DELETE ON idempotency BEGIN
  UPDATE idempotency_used SET keys = keys - 1, bytes = bytes - old.bytes
    WHERE principal = old.principal;
  DELETE FROM idempotency_used WHERE principal = old.principal AND keys = 0;
END;
)",
    R"(
ALTER TABLE session ADD COLUMN presets TEXT NOT NULL DEFAULT '';
)",
    // `secret`: the login, sealed as in totp.
    R"(
CREATE TABLE upstream_login (
  upstream TEXT PRIMARY KEY, secret BLOB NOT NULL, seal_key TEXT NOT NULL) STRICT, WITHOUT ROWID;
)",
    // Calls that run have no rows any more, and an answer is written once, to few pages.
    R"(
DROP TRIGGER idempotency_added;
DROP TRIGGER idempotency_sized;
DROP TRIGGER idempotency_removed;
ALTER TABLE idempotency RENAME TO idempotency_before;
CREATE TABLE idempotency (
  place INTEGER PRIMARY KEY,
  principal TEXT NOT NULL, tool TEXT NOT NULL, key TEXT NOT NULL, arguments BLOB NOT NULL,
  ended INTEGER NOT NULL, bytes INTEGER NOT NULL, is_error INTEGER NOT NULL,
  content TEXT NOT NULL, structured TEXT NOT NULL, meta TEXT NOT NULL,
  UNIQUE (principal, tool, key)) STRICT;
INSERT INTO idempotency (principal, tool, key, arguments, ended, bytes, is_error, content,
                         structured, meta)
  SELECT principal, tool, key, arguments, ended, bytes, is_error, content, structured, meta
    FROM idempotency_before WHERE lease = 0 ORDER BY ended;
DROP TABLE idempotency_before;
DELETE FROM idempotency_used;
INSERT INTO idempotency_used
  SELECT principal, COUNT(*), SUM(bytes) FROM idempotency GROUP BY principal;
CREATE TRIGGER idempotency_added AFTER INSERT ON idempotency BEGIN
  INSERT INTO idempotency_used VALUES (new.principal, 1, new.bytes)
    ON CONFLICT (principal) DO UPDATE SET keys = keys + 1, bytes = bytes + new.bytes;
END;
CREATE TRIGGER idempotency_removed AFTER DELETE ON idempotency BEGIN
  UPDATE idempotency_used SET keys = keys - 1, bytes = bytes - old.bytes
    WHERE principal = old.principal;
  DELETE FROM idempotency_used WHERE principal = old.principal AND keys = 0;
END;
)",
    // The context that a client sent with a call.
    R"(
ALTER TABLE call_record ADD COLUMN context TEXT NOT NULL DEFAULT '';
ALTER TABLE approval ADD COLUMN context TEXT NOT NULL DEFAULT '';
)",
    // The last lists of what upstreams offer in addition to tools.
    R"(
CREATE TABLE upstream_offer (
  upstream TEXT NOT NULL, list TEXT NOT NULL, source BLOB NOT NULL, seal_key TEXT NOT NULL,
  filters TEXT NOT NULL, entries TEXT NOT NULL, PRIMARY KEY (upstream, list)) STRICT;
)",
    // The approval request for which a call waits.
    R"(
ALTER TABLE call_record ADD COLUMN approval TEXT NOT NULL DEFAULT '';
)",
    // The claim of an idempotency key, which a call keeps while it waits for its client's answers.
    R"(
ALTER TABLE call_record ADD COLUMN claim BLOB NOT NULL DEFAULT x'';
CREATE INDEX call_claim ON call_record (principal, tool, idempotency_key)
  WHERE claim <> x'' AND asked > 0 AND state < 2;
)",
    // The ids of removed files, for as long as the URL of the upload is valid.
    R"(
ALTER TABLE file ADD COLUMN url_until INTEGER NOT NULL DEFAULT 0;
CREATE TABLE removed_file (
  id TEXT PRIMARY KEY, principal TEXT NOT NULL, url_until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX removed_file_by_url ON removed_file (url_until);
CREATE INDEX removed_file_by_principal ON removed_file (principal);
)",
    // Every replaced secret that still signs, sealed; `old_secret` and `old_until` are not written
    // any more.
    R"(
ALTER TABLE webhook ADD COLUMN old_secrets BLOB NOT NULL DEFAULT x'';
)",
    // Detached calls in progress (made_by 1, executes 0, state 1), by their idempotency keys.
    R"(
CREATE INDEX call_in_progress ON call_record (principal, tool, idempotency_key)
  WHERE idempotency_key <> '' AND made_by = 1 AND executes = 0 AND state = 1;
)",
    // The tool of the key: a call of call_tool has the key of the tool that it calls.
    R"(
ALTER TABLE call_record ADD COLUMN key_tool TEXT NOT NULL DEFAULT '';
UPDATE call_record SET key_tool = tool WHERE idempotency_key <> '';
DROP INDEX call_claim;
CREATE INDEX call_claim ON call_record (principal, key_tool, idempotency_key)
  WHERE claim <> x'' AND asked > 0 AND state < 2;
DROP INDEX call_in_progress;
CREATE INDEX call_in_progress ON call_record (principal, key_tool, idempotency_key)
  WHERE idempotency_key <> '' AND made_by = 1 AND executes = 0 AND state = 1;
)",
    // The time until which a host may take an order; 0: no limit.
    R"(
ALTER TABLE plugin_order ADD COLUMN take_by INTEGER NOT NULL DEFAULT 0;
)",
    // Hosts can hold different definitions of one tool. `pid` and `process`: as in `host`.
    R"(
CREATE TABLE upstream_held (
  upstream TEXT NOT NULL, tool TEXT NOT NULL, pid INTEGER NOT NULL, process TEXT NOT NULL,
  held TEXT NOT NULL, changed INTEGER NOT NULL,
  PRIMARY KEY (upstream, tool, pid, process)) STRICT, WITHOUT ROWID;
INSERT INTO upstream_held SELECT upstream, tool, 0, 'earlier', held, changed FROM upstream_pin
  WHERE held <> '' AND offered <> 0;
)",
};

Result<void> write_version(Sqlite& database, std::uint64_t version) {
  return database.run(("PRAGMA user_version = " + std::to_string(version)).c_str());
}

Result<std::uint64_t> steps_taken(Sqlite& database) {
  HOST_TRY_ASSIGN(Statement ask, database.prepare("PRAGMA user_version"));
  HOST_TRY(ask.step());
  return ask.number(0);
}

}  // namespace

Result<void> bring_up_to_date(Sqlite& database) {
  HOST_TRY_ASSIGN(const std::uint64_t seen, steps_taken(database));
  if (seen == std::size(kSteps)) return {};  // nobody waits for the right to write
  HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database));
  HOST_TRY_ASSIGN(const std::uint64_t taken, steps_taken(database));
  if (taken > std::size(kSteps)) {
    return Error{ErrorKind::Unavailable, "the database: a newer toolpost made it (version " +
                                             std::to_string(taken) + ", this one knows " +
                                             std::to_string(std::size(kSteps)) + ")"};
  }
  for (std::size_t step = taken; step < std::size(kSteps); ++step) {
    HOST_TRY(database.run(kSteps[step]));
    HOST_TRY(write_version(database, step + 1));
  }
  return transaction.commit();
}

Sha256 digest_of_steps(std::size_t count) {
  std::string all;
  for (std::size_t step = 0; step < std::min(count, std::size(kSteps)); ++step) all += kSteps[step];
  return sha256(all);
}

Result<SchemaVersions> look_at_schema(const std::filesystem::path& file) {
  HOST_TRY_ASSIGN(const std::unique_ptr<Sqlite> database, Sqlite::open_to_read(file));
  HOST_TRY(database->check_whole());
  HOST_TRY_ASSIGN(const std::uint64_t taken, steps_taken(*database));
  return SchemaVersions{taken, std::size(kSteps)};
}

Result<void> write_version_again(Sqlite& database) {
  HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database));
  HOST_TRY_ASSIGN(const std::uint64_t taken, steps_taken(database));
  HOST_TRY(write_version(database, taken));
  return transaction.commit();
}

}  // namespace host::store
