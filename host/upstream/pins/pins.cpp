#include "upstream/pins/pins.h"

#include <set>

namespace host::upstream {
namespace {

const char* reason_of(config::Pin mode) {
  return mode == config::Pin::Off ? "pin = off" : "first connection";
}

}  // namespace

void Pins::load(const std::vector<store::PinRecord>& records) {
  for (const store::PinRecord& record : records) {
    if (record.upstream == upstream_) records_[record.tool] = record;
  }
}

bool Pins::accepts_at_once(bool first) const {
  return mode_ == config::Pin::Off || (mode_ == config::Pin::Tofu && first);
}

std::vector<store::PinRecord> Pins::compare(const std::vector<Definition>& definitions,
                                            WallTime now) {
  const auto before = records_;
  const bool accept = accepts_at_once(!seen());
  store::PinRecord& mark = records_[""];
  mark.upstream = upstream_;
  mark.offered = true;
  std::set<std::string_view> offered{""};
  for (const Definition& definition : definitions) {
    offered.insert(definition.tool);
    store::PinRecord& record = records_[definition.tool];
    record.upstream = upstream_;
    record.tool = definition.tool;
    record.offered = true;
    if (record.accepted == definition.text) {
      record.held.clear();
    } else if (accept) {
      record.accepted = definition.text;
      record.held.clear();
      record.changed = now;
      record.by = reason_of(mode_);
    } else if (record.held != definition.text) {
      record.held = definition.text;
      record.changed = now;
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
  return changed;
}

Result<std::vector<store::PinRecord>> Pins::accept(std::string_view tool, const std::string& by,
                                                   WallTime now) {
  std::vector<store::PinRecord> changed;
  for (auto& [name, record] : records_) {
    // What is not offered any more is in no diff, so nobody has seen it.
    if (record.held.empty() || !record.offered || (!tool.empty() && name != tool)) continue;
    record.accepted = std::move(record.held);
    record.held.clear();
    record.changed = now;
    record.by = by;
    changed.push_back(record);
  }
  if (!changed.empty()) return changed;
  return Error{ErrorKind::NotFound,
               tool.empty() ? "no changed definition of \"" + upstream_ + "\" waits"
                            : "no changed definition of its tool \"" + std::string(tool) +
                                  "\" waits: use the tool's name without mcp__" + upstream_ + "__"};
}

std::vector<Definition> Pins::served() const {
  std::vector<Definition> out;
  for (const auto& [tool, record] : records_) {
    if (tool.empty() || !record.offered || record.accepted.empty() || !record.held.empty())
      continue;
    out.push_back({tool, record.accepted});
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
