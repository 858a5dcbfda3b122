#include "upstream/manager/pin_writer.h"

#include <utility>

#include "base/log.h"

namespace host::upstream {
namespace {

void log_failure(const Error& why) {
  log::error("upstream", "definitions were not stored", {{"error", why.message}});
}

}  // namespace

PinWriter::~PinWriter() {
  if (waiting_.empty()) return;
  desk_->tell([records = take_waiting()](store::Store& store) {
    if (const auto kept = store.pins().put(records); !kept) log_failure(kept.error());
  });
}

void PinWriter::put(std::vector<store::PinRecord> records) {
  for (store::PinRecord& record : records) {
    std::string tool = record.tool;
    waiting_.insert_or_assign(std::move(tool), std::move(record));
  }
  if (!writing_) write();
}

std::vector<store::PinRecord> PinWriter::take_waiting() {
  std::vector<store::PinRecord> records;
  for (auto& [tool, record] : std::exchange(waiting_, {})) records.push_back(std::move(record));
  return records;
}

void PinWriter::write() {
  if (waiting_.empty()) return;
  writing_ = true;
  const auto records = std::make_shared<const std::vector<store::PinRecord>>(take_waiting());
  store::Desk::Act<void> act = [records](store::Store& store) {
    return store.pins().put(*records);
  };
  desk_->ask<void>(std::move(act), [weak = weak_from_this(), records](const Result<void>& kept) {
    if (!kept) log_failure(kept.error());
    const auto self = weak.lock();
    if (!self) return;
    self->writing_ = false;
    if (kept) return self->write();
    // They are written with the next change. What changed since is newer.
    for (const store::PinRecord& record : *records) self->waiting_.emplace(record.tool, record);
  });
}

}  // namespace host::upstream
