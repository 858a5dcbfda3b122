#include "upstream/offer/offer_writer.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace host::upstream {
namespace {

std::string mark_of(const OfferWriter::Fresh& list) {
  return list.record->source + "\n" + list.record->filters + "\n" + to_hex(list.digest);
}

Result<void> put_all(store::Store& store, const std::vector<OfferWriter::Record>& records) {
  return store.together([&]() -> Result<void> {
    for (const OfferWriter::Record& record : records) HOST_TRY(store.offers().put(*record));
    return {};
  });
}

void log_unwritten(const std::vector<OfferWriter::Record>& records, const Error& why) {
  log::error("upstream", "lists of resources and prompts were not stored",
             {{"upstream", records.front()->upstream}, {"error", why.message}});
}

}  // namespace

OfferWriter::OfferWriter(boost::asio::any_io_executor io, Write write, Pauses pauses)
    : write_(std::move(write)), pauses_(pauses), pause_(pauses.least), timer_(std::move(io)) {}

OfferWriter::~OfferWriter() {
  if (!waiting_.empty()) write_(take_waiting(), nullptr);
}

bool OfferWriter::put(std::vector<Fresh> lists) {
  bool differs = false;
  for (Fresh& list : lists) {
    std::string mark = mark_of(list);
    std::string& last = marks_[list.record->list];
    if (last == mark) continue;
    last = std::move(mark);
    differs = true;
    waiting_.insert_or_assign(list.record->list, std::move(list.record));
  }
  if (!waiting_.empty() && !is_writing_ && !rests_) write();
  return differs;
}

void OfferWriter::loaded(const Fresh& list) {
  marks_.try_emplace(list.record->list, mark_of(list));
}

void OfferWriter::add_unwritten(std::vector<Record>& stored) const {
  std::map<std::string, Record> newer = waiting_;
  for (const Record& record : writing_) newer.try_emplace(record->list, record);
  std::erase_if(stored, [&](const Record& one) { return newer.contains(one->list); });
  for (auto& [list, record] : newer) stored.push_back(std::move(record));
}

void OfferWriter::forget() {
  marks_.clear();
  waiting_.clear();
  writing_.clear();
  ++generation_;
}

std::vector<OfferWriter::Record> OfferWriter::take_waiting() {
  std::vector<Record> records;
  for (auto& [list, record] : std::exchange(waiting_, {})) records.push_back(std::move(record));
  return records;
}

void OfferWriter::write() {
  is_writing_ = true;
  writing_ = take_waiting();
  rest();
  write_(writing_, [weak = weak_from_this(), records = writing_,
                    generation = generation_](const Result<void>& kept) {
    if (!kept) log_unwritten(records, kept.error());
    const auto self = weak.lock();
    if (!self) return;
    if (!kept && self->generation_ == generation) self->take_back(records);
    self->is_writing_ = false;
    self->writing_.clear();
    if (!self->waiting_.empty() && !self->rests_) self->write();
  });
}

// What was read since is newer.
void OfferWriter::take_back(const std::vector<Record>& records) {
  for (const Record& record : records) waiting_.emplace(record->list, record);
}

void OfferWriter::rest() {
  const SteadyTime now = steady_now();
  const bool was_calm = last_write_ == SteadyTime{} || now - last_write_ > pauses_.most;
  pause_ = was_calm ? pauses_.least : std::min(2 * pause_, pauses_.most);
  last_write_ = now;
  rests_ = true;
  timer_.expires_after(pause_);
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->rests_ = false;
    if (!self->waiting_.empty() && !self->is_writing_) self->write();
  });
}

OfferWriter::Write offers_to(std::shared_ptr<store::Desk> desk) {
  return
      [desk = std::move(desk)](std::vector<OfferWriter::Record> records, OfferWriter::Done done) {
        if (!done) {
          desk->tell([records = std::move(records)](store::Store& store) {
            if (const auto kept = put_all(store, records); !kept)
              log_unwritten(records, kept.error());
          });
          return;
        }
        store::Desk::Act<void> act = [records = std::move(records)](store::Store& store) {
          return put_all(store, records);
        };
        desk->ask<void>(std::move(act),
                        [done = std::move(done)](const Result<void>& kept) { done(kept); });
      };
}

}  // namespace host::upstream
