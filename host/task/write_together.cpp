#include "task/write_together.h"

#include <algorithm>

namespace host::task {
namespace {

bool has_data(const StoredWith& one) {
  return !one.events.empty() || one.kept_key;
}

Result<void> write_data(store::Store& store, const StoredWith& one) {
  if (!one.events.empty()) HOST_TRY(store.webhooks().queue(one.events));
  if (one.kept_key) HOST_TRY(store.idempotency().keep_interrupted(*one.kept_key));
  return {};
}

}  // namespace

Result<std::vector<store::RecordWritten>> write_together(
    store::Store& store, const std::vector<store::RecordWrite>& writes, const std::string& address,
    const std::vector<StoredWith>& with) {
  if (std::none_of(with.begin(), with.end(), has_data))
    return store.records().write(writes, address);
  std::vector<store::RecordWritten> written;
  const auto stored = store.together([&]() -> Result<void> {
    HOST_TRY_ASSIGN(written, store.records().write(writes, address));
    for (std::size_t i = 0; i < with.size(); ++i) {
      if (written[i]) HOST_TRY(write_data(store, with[i]));
    }
    return {};
  });
  if (!stored) return stored.error();
  return written;
}

}  // namespace host::task
