// Stores changes of records in one transaction with the data that depend on the changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/part/idempotency_store.h"
#include "store/part/record_store.h"
#include "store/part/webhook_store.h"
#include "store/store.h"

namespace host::task {

// The data that the host stores in the same transaction as one RecordWrite.
struct StoredWith {
  std::vector<store::WebhookEvent> events;
  // The idempotency key that stays used although its task has ended. nullopt: there is none.
  std::optional<store::IdempotencyKey> kept_key;
};

// Returns what RecordStore::write() returns. `with` is in the order of `writes`. If the store does
// not write a record because another host has changed it, the record's data in `with` are not
// stored either. If write_together() returns an Error, the store has written nothing.
Result<std::vector<store::RecordWritten>> write_together(
    store::Store& store, const std::vector<store::RecordWrite>& writes, const std::string& address,
    const std::vector<StoredWith>& with);

}  // namespace host::task
