#include "upstream/offer/stored_offers.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <utility>
#include <vector>

namespace host::upstream {
namespace {

std::vector<std::string> lines_of(const std::string& entries, std::size_t most) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < entries.size() && out.size() < most;) {
    const std::size_t end = std::min(entries.find('\n', at), entries.size());
    out.push_back(entries.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

constexpr std::int64_t kMostMilliseconds = 1LL << 42U;  // in the year 2109

// The line of one list; empty: there is none.
std::string line_of(const std::string& text, const std::string& list) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(list + " ") || line == list) return line + "\n";
  }
  return {};
}

// The times of the list's entries, in their order.
std::vector<WallTime> times_in(const std::string& line, std::size_t most) {
  std::istringstream words(line);
  std::string list;
  words >> list;
  std::vector<WallTime> out;
  std::int64_t time = 0;
  std::size_t count = 0;
  while (words >> time >> count && time >= 0 && time <= kMostMilliseconds)
    out.insert(out.end(), std::min(count, most - out.size()),
               WallTime(std::chrono::milliseconds(time)));
  return out;
}

}  // namespace

const char* stored_name_of(OfferKind kind) {
  switch (kind) {
    case OfferKind::Resources:
      return "resources";
    case OfferKind::Templates:
      return "templates";
    case OfferKind::Prompts:
      return "prompts";
  }
  return "prompts";
}

std::string filters_of(const config::Upstream& upstream) {
  std::string all;
  for (const std::vector<std::string>* const names :
       {&upstream.resources, &upstream.resources_denied, &upstream.prompts,
        &upstream.prompts_denied}) {
    for (const std::string& name : *names) all.append(name).append(1, '\0');
    all += '\n';
  }
  return to_hex(sha256(all));
}

void StoredOffers::add(OfferWriter::Record record) {
  ++count_;
  if (record->list == kCompletions) {
    completions = OfferWriter::Fresh{record, sha256(record->entries)};
    return;
  }
  if (record->list == kSince) {
    since = OfferWriter::Fresh{record, sha256(record->entries)};
    return;
  }
  for (const OfferKind kind : kOfferKinds) {
    if (record->list == stored_name_of(kind))
      lists[static_cast<std::size_t>(kind)].record = std::move(record);
    if (!record) return;
  }
}

std::string since_line(OfferKind kind, const std::vector<tool::Resource>& entries) {
  if (entries.empty()) return {};
  std::string out = stored_name_of(kind);
  for (std::size_t at = 0; at < entries.size();) {
    const WallTime time = entries[at].since;
    const std::size_t begin = at;
    while (at < entries.size() && entries[at].since == time) ++at;
    const auto since =
        std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
    out += " " + std::to_string(since.count()) + " " + std::to_string(at - begin);
  }
  return out + "\n";
}

// Lists are written together with their times. Lists without times are of an earlier release, and
// older than all others.
void StoredOffers::set_times(List& list, OfferKind kind) const {
  if (kind == OfferKind::Prompts || !since) return;
  list.times = line_of(since->record->entries, stored_name_of(kind));
  const std::vector<WallTime> times = times_in(list.times, most_);
  tool::Offer& offer = list.maker->made.offer;
  auto& entries = kind == OfferKind::Resources ? offer.resources : offer.templates;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t place = list.maker->places[i];
    entries[i].since = place < times.size() ? times[place] : kNoTime;
  }
}

bool StoredOffers::step() {
  for (; next_ < lists.size(); ++next_) {
    List& list = lists[next_];
    if (!list.record) continue;
    if (!list.maker) {
      list.digest = sha256(list.record->entries);
      list.maker = std::make_unique<OfferMaker>(upstream_, kOfferKinds[next_],
                                                lines_of(list.record->entries, most_));
      return true;
    }
    if (list.maker->step()) return true;
    set_times(list, kOfferKinds[next_]);
  }
  is_done_ = true;
  return false;
}

}  // namespace host::upstream
