#include "tool/catalog.h"

#include <algorithm>

#include "base/digest.h"
#include "tool/class.h"

namespace host::tool {
namespace {

bool by_name(const Entry& entry, std::string_view name) {
  return entry.tool->name() < name;
}

std::string digest_of_listing(const std::vector<Entry>& entries) {
  Sha256Stream stream;
  for (const Entry& entry : entries) {
    const Declaration& declared = entry.tool->declared();
    for (const std::string* text :
         {&entry.tool->listing(), &declared.title, &declared.output_schema, &declared.icons}) {
      stream.add(*text);
      stream.add(std::string_view("\0", 1));
    }
  }
  return to_hex(stream.finish());
}

// A post_ tool follows x, pre_x and priv_x by its own name post_x, and whatever its `after` lists.
std::vector<std::string> actions_before(const Tool& post) {
  const std::string own(stem(post.name()));
  std::vector<std::string> actions = {own, "pre_" + own, "priv_" + own};
  for (const std::string& name : post.declared().after) {
    if (std::find(actions.begin(), actions.end(), name) == actions.end()) actions.push_back(name);
  }
  return actions;
}

}  // namespace

Snapshot::Snapshot(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.tool->name() < b.tool->name(); });
  for (const Entry& entry : entries_) {
    if (entry.tool->tool_class() != Class::Post) continue;
    for (const std::string& action : actions_before(*entry.tool)) after_[action].push_back(&entry);
  }
}

const Entry* Snapshot::find(std::string_view name) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), name, by_name);
  return at != entries_.end() && at->tool->name() == name ? &*at : nullptr;
}

const std::vector<const Entry*>& Snapshot::after(std::string_view action) const {
  static const std::vector<const Entry*> none;
  const auto at = after_.find(action);
  return at == after_.end() ? none : at->second;
}

Catalog::Catalog()
    : snapshot_(std::make_shared<const Snapshot>(std::vector<Entry>{})),
      shown_(digest_of_listing({})) {}

std::vector<Refusal> Catalog::set(const std::string& slot, std::shared_ptr<Provider> provider) {
  if (provider) {
    slots_[slot] = std::move(provider);
    if (std::find(order_.begin(), order_.end(), slot) == order_.end()) order_.push_back(slot);
  } else {
    slots_.erase(slot);
    std::erase(order_, slot);
  }

  std::vector<Refusal> refusals;
  std::vector<Entry> entries;
  std::map<std::string_view, std::string_view> taken;  // name -> slot
  for (const std::string& current : order_) {
    const auto& serving = slots_.at(current);
    for (const auto& tool : serving->tools()) {
      const auto [holder, fresh] = taken.emplace(tool->name(), current);
      if (fresh) {
        entries.push_back({tool, serving});
      } else if (current == slot) {
        refusals.push_back(
            {tool->name(), "the name is already taken by \"" + std::string(holder->second) + "\""});
      }
    }
  }

  auto next = std::make_shared<const Snapshot>(std::move(entries));
  std::string shown = digest_of_listing(next->entries());
  snapshot_ = std::move(next);
  if (shown == shown_) return refusals;
  shown_ = std::move(shown);
  for (const auto& listener : listeners_) listener();
  return refusals;
}

}  // namespace host::tool
