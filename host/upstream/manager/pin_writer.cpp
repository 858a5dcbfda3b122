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

void PinWriter::put(std::vector<store::PinRecord> records, Done done) {
  if (done) waiters_.push_back(std::move(done));
  for (store::PinRecord& record : records) add(std::move(record));
  if (!writing_) write();
}

// A record with `held` changes no accepted definition of the store, so it does not replace one that
// does.
void PinWriter::add(store::PinRecord record) {
  std::vector<store::PinRecord>& of_tool = waiting_[record.tool];
  if (record.held.empty()) of_tool.clear();
  if (!of_tool.empty() && !of_tool.back().held.empty()) of_tool.pop_back();
  of_tool.push_back(std::move(record));
}

void PinWriter::put_first(std::string upstream, std::vector<store::PinRecord> records,
                          FirstDone done) {
  first_ = std::make_shared<const First>(
      First{std::move(upstream), std::move(records), std::move(done)});
  if (!writing_) write();
}

void PinWriter::stop() {
  is_stopped_ = true;
  timer_.cancel();
  if (!writing_) give_up();
}

// Else the loop of the host would wait for them for ever.
void PinWriter::give_up() {
  for (const Done& done : std::exchange(waiters_, {}))
    done(Error{ErrorKind::Unavailable, "the definitions are not stored yet: the host stops"});
}

std::vector<store::PinRecord> PinWriter::take_waiting() {
  std::vector<store::PinRecord> records;
  for (auto& [tool, of_tool] : std::exchange(waiting_, {}))
    records.insert(records.end(), of_tool.begin(), of_tool.end());
  return records;
}

void PinWriter::write() {
  if (first_) return write_first();
  if (waiting_.empty()) return;
  writing_ = true;
  timer_.cancel();
  const auto records = std::make_shared<const std::vector<store::PinRecord>>(take_waiting());
  store::Desk::Act<void> act = [records](store::Store& store) {
    return store.pins().put(*records);
  };
  desk_->ask<void>(std::move(act), [weak = weak_from_this(), records,
                                    told = std::exchange(waiters_, {})](const Result<void>& kept) {
    if (!kept) log_failure(kept.error());
    if (const auto self = weak.lock()) {
      self->writing_ = false;
      kept ? self->write() : self->write_again(*records);
    }
    for (const Done& done : told) done(kept);
  });
}

void PinWriter::write_first() {
  writing_ = true;
  timer_.cancel();
  store::Desk::Act<std::vector<store::PinRecord>> act = [first = first_](store::Store& store) {
    return store.pins().put_first(first->upstream, first->records);
  };
  desk_->ask<std::vector<store::PinRecord>>(
      std::move(act), [weak = weak_from_this(),
                       first = first_](const Result<std::vector<store::PinRecord>>& stored) {
        if (!stored) log_failure(stored.error());
        const auto self = weak.lock();
        if (!self) return;
        self->writing_ = false;
        const bool is_last = self->first_ == first;
        if (is_last && stored) self->first_.reset();
        is_last && !stored ? self->write_later() : self->write();
        if (is_last) first->done(stored);
      });
}

// With the next change, or after a pause: a definition can stay the same for months, and after a
// crash the host would accept every definition as on a first connection.
void PinWriter::write_again(const std::vector<store::PinRecord>& records) {
  for (auto newer = take_waiting(); const auto& list : {records, newer}) {
    for (const store::PinRecord& record : list) add(record);
  }
  write_later();
}

void PinWriter::write_later() {
  if (is_stopped_) return give_up();
  timer_.expires_after(retry_);
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!error && self && !self->writing_) self->write();
  });
}

}  // namespace host::upstream
