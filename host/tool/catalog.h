// The known tools, and what providers offer beside them. Readers take a snapshot and see one state
// of the world; whoever changes providers publishes a new one. I/O thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tool/offers.h"
#include "tool/provider.h"
#include "tool/tool.h"

namespace host::tool {

struct Entry {
  std::shared_ptr<const Tool> tool;
  std::shared_ptr<Provider> provider;
};

// Immutable. Entries stand in the order of their names.
class Snapshot {
 public:
  explicit Snapshot(std::vector<Entry> entries, Offers offers = {});

  const Entry* find(std::string_view name) const;
  const std::vector<Entry>& entries() const { return entries_; }
  const Offers& offers() const { return offers_; }
  // post_ tools that follow the action of this name, in name order.
  const std::vector<const Entry*>& after(std::string_view action) const;

 private:
  std::vector<Entry> entries_;
  Offers offers_;
  std::map<std::string, std::vector<const Entry*>, std::less<>> after_;
};

// Which lists show something else than before.
struct Changes {
  bool tools = false;
  bool resources = false;  // templates included
  bool prompts = false;

  bool any() const { return tools || resources || prompts; }
};

class Catalog {
 public:
  Catalog();

  const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }

  // Puts `provider` in place of whatever served `slot` before (nullptr: nothing serves it any more)
  // and publishes. What it offers is read once, here: whoever offers something else sets it again.
  // A name that another slot holds is refused, never overwritten.
  std::vector<Refusal> set(const std::string& slot, std::shared_ptr<Provider> provider);

  // The same for several slots, in one publication; the refusals are in the order of the changes.
  struct Change {
    std::string slot;
    std::shared_ptr<Provider> provider;
  };
  std::vector<std::vector<Refusal>> set_all(std::vector<Change> changes);

  // `listener` runs after a publication that changed what lists show. Kept for ever.
  void on_change(std::function<void(const Changes&)> listener) {
    listeners_.push_back(std::move(listener));
  }

  // `listener` runs after each publication: whoever holds a snapshot lets it go, so that what it
  // serves no more can retire. Kept for ever.
  void on_publish(std::function<void()> listener) {
    publish_listeners_.push_back(std::move(listener));
  }

  // Lists that are made of this catalog's, and of something else, show something else.
  void lists_changed(const Changes& changes) const;

  // A provider says that what is read under `uri` is not what it was; listeners hear each time.
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

  std::vector<Slot> slots_;  // first come first served where names clash
  std::shared_ptr<const Snapshot> snapshot_;
  std::string shown_;  // digest of what tools/list shows, to tell a change from a mere reload
  std::vector<std::function<void()>> publish_listeners_;
  std::vector<std::function<void(const Changes&)>> listeners_;
  std::vector<std::function<void(const std::string& uri)>> update_listeners_;
};

}  // namespace host::tool
