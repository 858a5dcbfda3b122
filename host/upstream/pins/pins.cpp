#include "upstream/pins/pins.h"

#include <algorithm>
#include <set>

#include "base/digest.h"
#include "json/canonical.h"
#include "tool/definition/declared_text.h"

namespace host::upstream {
namespace {

const char* reason_of(config::Pin mode) {
  return mode == config::Pin::Off ? "pin = off" : "first connection";
}

bool is_served(const store::PinRecord& record) {
  return !record.tool.empty() && record.offered && !record.accepted.empty() && record.held.empty();
}

bool is_same_text(const std::string& one, const std::string& other) {
  return one == other || json::canonical_text(one) == json::canonical_text(other);
}

// The store keeps whole milliseconds.
bool is_before(const store::PinRecord& record, WallTime last_list) {
  return record.changed + std::chrono::milliseconds(1) <= last_list;
}

}  // namespace

bool is_accepted_by_person(const store::PinRecord& record) {
  return !record.accepted.empty() && record.by != reason_of(config::Pin::Off) &&
         record.by != reason_of(config::Pin::Tofu);
}

void Pins::load(const std::vector<store::PinRecord>& records) {
  for (const store::PinRecord& record : records) {
    if (record.upstream == upstream_) records_[record.tool] = record;
  }
  std::erase_if(elsewhere_, [this](const auto& one) { return is_superseded(one.second); });
}

std::vector<store::PinRecord> Pins::records() const {
  std::vector<store::PinRecord> out;
  for (const auto& [tool, record] : records_) out.push_back(record);
  return out;
}

bool Pins::accepts_at_once(bool first) const {
  return mode_ == config::Pin::Off || (mode_ == config::Pin::Tofu && first);
}

std::string Pins::name_here(std::string_view tool) const {
  return name_here_ ? name_here_(tool) : std::string(tool);
}

Pins::Names Pins::accepted_names() const {
  Names names;
  for (const auto& [tool, record] : records_) {
    if (!record.accepted.empty()) names.emplace(name_here(tool), tool);
  }
  return names;
}

bool Pins::take_name(Names& names, const std::string& tool) const {
  return names.emplace(name_here(tool), tool).first->second == tool;
}

std::vector<store::PinRecord> Pins::compare(const std::vector<Definition>& definitions,
                                            WallTime now) {
  const auto before = records_;
  const bool accept = accepts_at_once(!seen());
  store::PinRecord& mark = records_[""];
  mark.upstream = upstream_;
  mark.offered = true;
  std::set<std::string_view> offered{""};
  const bool needs_names = (accept && mode_ == config::Pin::Tofu) || !elsewhere_.empty();
  auto names = needs_names ? accepted_names() : Names();
  for (const Definition& definition : definitions) {
    offered.insert(definition.tool);
    store::PinRecord& record = records_[definition.tool];
    record.upstream = upstream_;
    record.tool = definition.tool;
    record.offered = true;
    if (!record.accepted.empty() && is_same(definition, record.accepted)) {
      record.held.clear();
      // Earlier hosts stored no order.
      if (record.accepted == definition.canonical) record.accepted = definition.text;
    } else if (accept && (mode_ == config::Pin::Off || take_name(names, record.tool))) {
      record.accepted = definition.text;
      record.held.clear();
      record.changed = time_of_decision(record, now);
      record.by = reason_of(mode_);
      elsewhere_.erase(record.tool);
    } else if (take_from_elsewhere(definition, names, record)) {
      elsewhere_.erase(record.tool);
    } else if (record.held.empty() || !is_same(definition, record.held)) {
      record.held = definition.text;
      record.changed = std::max(now, record.changed);
    }
  }
  std::vector<store::PinRecord> changed;
  for (auto& [tool, record] : records_) {
    if (!offered.contains(tool)) {
      record.offered = false;
      record.held.clear();
    }
    const auto old = before.find(tool);
    if (old == before.end() || !(old->second == record)) changed.push_back(record);
  }
  for (store::PinRecord& dropped : drop_withdrawn()) {
    std::erase_if(changed, [&](const auto& one) { return one.tool == dropped.tool; });
    elsewhere_.erase(dropped.tool);
    dropped.accepted.clear();
    if (before.contains(dropped.tool)) changed.push_back(std::move(dropped));
  }
  return changed;
}

bool Pins::take_from_elsewhere(const Definition& definition, Names& names,
                               store::PinRecord& record) {
  const auto found = elsewhere_.find(record.tool);
  if (found == elsewhere_.end() || !is_same(definition, found->second.accepted) ||
      !take_name(names, record.tool))
    return false;
  record.accepted = definition.text;
  record.held.clear();
  record.changed = found->second.changed;
  record.by = found->second.by;
  return true;
}

// Those that were never accepted, and then the oldest beyond the limits.
std::vector<store::PinRecord> Pins::drop_withdrawn() {
  std::vector<const store::PinRecord*> withdrawn;
  for (const auto& [tool, record] : records_) {
    if (!tool.empty() && !record.offered) withdrawn.push_back(&record);
  }
  std::stable_sort(withdrawn.begin(), withdrawn.end(),
                   [](const auto* one, const auto* two) { return one->changed > two->changed; });
  std::vector<store::PinRecord> dropped;
  std::uint64_t kept = 0;
  std::uint64_t bytes = 0;
  for (const store::PinRecord* const record : withdrawn) {
    const std::uint64_t size = record->tool.size() + record->accepted.size();
    if (!record->accepted.empty() && kept < limits_.tools && bytes + size <= limits_.bytes) {
      ++kept;
      bytes += size;
    } else {
      dropped.push_back(*record);
    }
  }
  for (const store::PinRecord& record : dropped) records_.erase(record.tool);
  return dropped;
}

std::string digest_of_all(const std::vector<store::PinRecord>& held) {
  std::string all;
  for (const store::PinRecord& record : held)
    all += to_hex(sha256(record.tool)) + " " + digest_of(record.held) + "\n";
  return all.empty() ? std::string() : "sha256:" + to_hex(sha256(all));
}

std::string Pins::digest_held(std::string_view tool) const {
  if (tool.empty()) return digest_of_all(held());
  const auto record = records_.find(tool);
  const bool waits =
      record != records_.end() && !record->second.held.empty() && record->second.offered;
  return waits ? digest_of(record->second.held) : std::string();
}

std::string Pins::digest_fault(std::string_view tool, std::string_view digest,
                               const std::string& diff) const {
  const std::string waits = digest_held(tool);
  if (waits.empty() || waits == digest) return {};
  if (tool.empty()) {
    const std::vector<store::PinRecord> all = held();
    const auto one = std::find_if(all.begin(), all.end(), [&](const store::PinRecord& record) {
      return digest_of(record.held) == digest;
    });
    if (one != all.end() && all.size() == 1) return {};
    if (one != all.end()) {
      return "the digest is that of \"" + one->tool + "\" alone, and " +
             std::to_string(all.size()) + " changes wait: add \"" + one->tool +
             "\" to the command, or use the digest of all of them, which `" + diff + "` shows";
    }
  }
  return "the digest is not that of what waits now: look again with `" + diff +
         "`, which shows the digest";
}

Result<std::vector<store::PinRecord>> Pins::accept(std::string_view tool, std::string_view digest,
                                                   const std::string& by, WallTime now) {
  if (std::string fault = digest_fault(tool, digest, "toolpost upstream diff " + upstream_);
      !fault.empty())
    return Error{ErrorKind::InvalidArgument, std::move(fault)};
  Names names = accepted_names();
  std::vector<store::PinRecord> changed;
  std::string clash;
  for (auto& [name, record] : records_) {
    // What is not offered any more is in no diff, so nobody has seen it.
    if (record.held.empty() || !record.offered || (!tool.empty() && name != tool)) continue;
    std::string& owner = names[name_here(name)];
    if (!owner.empty() && owner != name) {
      store::PinRecord& other = records_.find(owner)->second;
      if (other.offered) {
        clash = name_here(name) + ", which is the name of its tool " + tool::quoted_name(owner);
        continue;
      }
      other.accepted.clear();
      changed.push_back(other);
    }
    owner = name;
    record.accepted = std::move(record.held);
    record.held.clear();
    record.changed = time_of_decision(record, now);
    record.by = by;
    changed.push_back(record);
  }
  for (const store::PinRecord& record : changed) {
    elsewhere_.erase(record.tool);
    if (record.accepted.empty()) records_.erase(record.tool);
  }
  if (!changed.empty()) return changed;
  if (!clash.empty())
    return Error{ErrorKind::InvalidArgument, "the name of this tool here would be " + clash +
                                                 ": the upstream has to withdraw one of them"};
  return Error{ErrorKind::NotFound,
               tool.empty() ? "no changed definition of \"" + upstream_ + "\" waits"
                            : "no changed definition of its tool \"" + std::string(tool) +
                                  "\" waits: use the tool's name without mcp__" + upstream_ + "__"};
}

Result<Pins::InStore> Pins::accept_in(store::PinStore& store, std::string_view tool,
                                      std::string_view digest, const std::string& by, WallTime now,
                                      WallTime last_list) {
  HOST_TRY_ASSIGN(const auto stored, store.list());
  load(stored);
  auto changed = accept(tool, digest, by, now);
  if (!changed) {
    const auto before = records_;
    HOST_TRY_ASSIGN(const auto waiting, store.held());
    hold_for_others(waiting, tool, digest, last_list);
    const Error why = changed.error();
    changed = accept(tool, digest, by, now);
    if (!changed) {
      records_ = before;
      if (const auto decided = acceptance_of(tool, digest)) return InStore{{}, records(), *decided};
      return InStore{why, records()};
    }
  }
  HOST_TRY(store.put_accepted(*changed));
  InStore out{{}, records()};
  for (const store::PinRecord& one : *changed) out.decided = std::max(out.decided, one.changed);
  return out;
}

std::optional<WallTime> Pins::acceptance_of(std::string_view tool, std::string_view digest) const {
  const auto found = std::find_if(records_.begin(), records_.end(), [&](const auto& one) {
    const auto& [name, record] = one;
    return !record.accepted.empty() && (tool.empty() || name == tool) &&
           digest_of(record.accepted) == digest;
  });
  if (found == records_.end()) return std::nullopt;
  return found->second.changed;
}

// The store orders decisions by their times, in milliseconds.
WallTime Pins::time_of_decision(const store::PinRecord& record, WallTime now) const {
  const auto elsewhere = elsewhere_.find(record.tool);
  WallTime last = record.changed;
  const bool is_other =
      elsewhere != elsewhere_.end() && !is_same_text(elsewhere->second.accepted, record.accepted);
  if (is_other) last = std::max(last, elsewhere->second.changed);
  return std::max(now, last + std::chrono::milliseconds(1));
}

// Holds what may be meant. If hosts hold different definitions of a tool, each is accepted by the
// tool's name and its own digest.
void Pins::hold_for_others(const std::vector<store::PinRecord>& waiting, std::string_view tool,
                           std::string_view digest, WallTime last_list) {
  std::map<std::string_view, const store::PinRecord*> meant;
  for (const store::PinRecord& record : waiting) {
    const bool is_meant = tool.empty() || (record.tool == tool && digest_of(record.held) == digest);
    if (record.upstream != upstream_ || !is_meant || is_before(record, last_list)) continue;
    if (!meant.emplace(record.tool, &record).second && tool.empty()) return;
  }
  for (auto& [name, record] : records_) {
    if (tool.empty() || name == tool) record.held.clear();
  }
  for (const auto& [name, record] : meant) {
    store::PinRecord& own = records_[std::string(name)];
    own.upstream = upstream_;
    own.tool = name;
    own.held = record->held;
    own.changed = record->changed;
    own.offered = true;
  }
}

std::vector<store::PinRecord> Pins::held_elsewhere(const std::vector<store::PinRecord>& stored,
                                                   WallTime last_list) const {
  std::vector<store::PinRecord> out;
  if (mode_ == config::Pin::Off) return out;
  for (const store::PinRecord& record : stored) {
    if (record.upstream != upstream_ || record.held.empty() || !record.offered) continue;
    if (is_before(record, last_list)) continue;
    const auto own = records_.find(record.tool);
    const bool is_known =
        own != records_.end() && (is_same_text(own->second.held, record.held) ||
                                  is_same_text(own->second.accepted, record.held));
    if (!is_known) out.push_back(record);
  }
  return out;
}

void Pins::accepted_elsewhere(const std::vector<store::PinRecord>& stored) {
  elsewhere_.clear();
  for (const store::PinRecord& record : stored) {
    const bool is_accepted = record.upstream == upstream_ && is_accepted_by_person(record);
    if (is_accepted && !is_superseded(record)) elsewhere_.emplace(record.tool, record);
  }
}

void Pins::remember_as(const Pins& before) {
  for (const auto& [tool, record] : before.elsewhere_) {
    if (!is_superseded(record)) elsewhere_.emplace(tool, record);
  }
}

// The store can lag behind this host.
bool Pins::is_superseded(const store::PinRecord& elsewhere) const {
  const auto own = records_.find(elsewhere.tool);
  if (own == records_.end() || own->second.accepted.empty()) return false;
  const bool is_older = own->second.held.empty() && elsewhere.changed < own->second.changed;
  return is_older || is_same_text(own->second.accepted, elsewhere.accepted);
}

std::vector<Definition> Pins::served() const {
  std::vector<Definition> out;
  for (const auto& [tool, record] : records_) {
    if (is_served(record)) out.push_back({tool, record.accepted});
  }
  return out;
}

bool Pins::serves(std::string_view tool) const {
  const auto record = records_.find(tool);
  return record != records_.end() && is_served(record->second);
}

std::vector<std::string> Pins::tools() const {
  std::vector<std::string> out;
  for (const auto& [tool, record] : records_) {
    if (!tool.empty()) out.push_back(tool);
  }
  return out;
}

std::vector<store::PinRecord> Pins::held() const {
  std::vector<store::PinRecord> out;
  for (const auto& [tool, record] : records_) {
    if (!record.held.empty() && record.offered) out.push_back(record);
  }
  return out;
}

}  // namespace host::upstream
