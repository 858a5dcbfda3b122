// The known tools, resources and prompts. Readers take a snapshot, which is consistent. Code that
// changes providers publishes a new one. I/O thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tool/definition/tool.h"
#include "tool/provider/offers.h"
#include "tool/provider/provider.h"

namespace host::tool {

struct Entry {
  std::shared_ptr<const Tool> tool;
  std::shared_ptr<Provider> provider;
};

// Immutable. Entries are ordered by name.
class Snapshot {
 public:
  explicit Snapshot(std::vector<Entry> entries, Offers offers = {});
  // `below` and the entries of `own`, whose names `below` does not have. post_ tools of `below` do
  // not run after tools of `own`, because they were written for other tools.
  Snapshot(const Snapshot& below, const std::vector<Entry>& own);

  const Entry* find(std::string_view name) const;
  const std::vector<Entry>& entries() const { return entries_; }
  const Offers& offers() const { return offers_; }
  // The post_ tools that follow the tool with this name, ordered by name.
  const std::vector<const Entry*>& after(std::string_view action) const;

 private:
  std::vector<Entry> entries_;
  Offers offers_;
  std::map<std::string, std::vector<const Entry*>, std::less<>> after_;
};

// Which lists have changed.
struct Changes {
  bool tools = false;
  bool resources = false;  // including templates
  bool prompts = false;

  bool any() const { return tools || resources || prompts; }
};

class Catalog {
 public:
  Catalog();

  const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }

  // The serving build of a plugin. nullptr: no such plugin serves.
  std::shared_ptr<Provider> plugin(std::string_view name) const;

  // Replaces the provider of `slot` (nullptr: removes it) and publishes a snapshot. The offer of
  // the provider is read once, here. If the offer changes, call set() again. A name that a
  // different slot already has is refused, never overwritten.
  std::vector<Refusal> set(const std::string& slot, std::shared_ptr<Provider> provider);

  // The same for several slots, in one publication. The refusals have the order of the changes.
  struct Change {
    std::string slot;
    std::shared_ptr<Provider> provider;
  };
  std::vector<std::vector<Refusal>> set_all(std::vector<Change> changes);

  // `listener` runs after each publication that changed what lists show. It is never removed.
  void on_change(std::function<void(const Changes&)> listener) {
    listeners_.push_back(std::move(listener));
  }

  // `listener` runs after each publication. Holders of a snapshot must release it then, so that
  // replaced providers can retire. It is never removed.
  void on_publish(std::function<void()> listener) {
    publish_listeners_.push_back(std::move(listener));
  }

  // Notifies listeners of a change in lists that contain entries from outside this catalog.
  void lists_changed(const Changes& changes) const;

  // Notifies listeners that the contents of `uri` changed. They are called each time.
  void resource_updated(const std::string& uri) const;
  void on_resource_updated(std::function<void(const std::string& uri)> listener) {
    update_listeners_.push_back(std::move(listener));
  }

 private:
  struct Slot {
    std::string name;
    std::shared_ptr<Provider> provider;
    std::shared_ptr<const Offer> offer;
  };
  void put(Change change);
  Slot& ensure_slot(const std::string& name);
  std::vector<Entry> gather_tools(const std::string& told, std::vector<Refusal>& refusals) const;
  Offers gather_offers(const std::string& told, std::vector<Refusal>& refusals) const;
  void publish(std::vector<Entry> entries, Offers offers);

  std::vector<Slot> slots_;  // if names clash, the earlier slot has priority
  std::shared_ptr<const Snapshot> snapshot_;
  std::string shown_;  // digest of what tools/list shows; a reload without changes keeps it
  std::vector<std::function<void()>> publish_listeners_;
  std::vector<std::function<void(const Changes&)>> listeners_;
  std::vector<std::function<void(const std::string& uri)>> update_listeners_;
};

}  // namespace host::tool
