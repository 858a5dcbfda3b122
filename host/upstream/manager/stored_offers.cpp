#include "upstream/manager/stored_offers.h"

#include <algorithm>
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
  for (const OfferKind kind : kOfferKinds) {
    if (record->list == stored_name_of(kind))
      lists[static_cast<std::size_t>(kind)].record = std::move(record);
    if (!record) return;
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
  }
  is_done_ = true;
  return false;
}

}  // namespace host::upstream
