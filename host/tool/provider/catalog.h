// The catalog contains the tools, resources and prompts of all providers. Readers of the catalog
// take a snapshot, which never changes. Code that changes the providers publishes a new snapshot of
// the catalog. The catalog is used on the I/O thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
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

// A snapshot is immutable. The entries of a snapshot are ordered by name.
class Snapshot {
 public:
  explicit Snapshot(std::vector<Entry> entries, Offers offers = {});
  // Makes a snapshot with the entries of the snapshot `below` and the entries `own`. An entry of
  // `below` and an entry of `own` must not have the same name. A post_ tool of `below` does not run
  // after a tool of `own`, because the author of the post_ tool did not know the tools of `own`.
  Snapshot(const Snapshot& below, const std::vector<Entry>& own);

  const Entry* find(std::string_view name) const;
  const std::vector<Entry>& entries() const { return entries_; }
  const Offers& offers() const { return offers_; }
  // Returns the post_ tools that the host runs after the tool with this name, ordered by name.
  const std::vector<const Entry*>& after(std::string_view action) const;

 private:
  std::vector<Entry> entries_;
  Offers offers_;
  std::map<std::string, std::vector<const Entry*>, std::less<>> after_;
};

// The struct Changes says which kinds of lists have changed contents.
struct Changes {
  bool tools = false;
  bool resources = false;  // including resource templates
  bool prompts = false;

  bool any() const { return tools || resources || prompts; }
  void add(const Changes& more) {
    tools |= more.tools;
    resources |= more.resources;
    prompts |= more.prompts;
  }
};

// A ChangesOf contains the changes in the entries of each provider.
using ChangesOf = std::map<ProviderIdentity::Id, Changes>;

class Catalog {
 public:
  Catalog();

  const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }

  // Returns the build of a plugin that serves calls, or nullptr if no build of that plugin serves.
  std::shared_ptr<Provider> plugin(std::string_view name) const;

  // Replaces the provider of `slot`, or removes it if `provider` is nullptr, and publishes a
  // snapshot. set() reads the provider's offer once. If the provider's offer changes later, call
  // set() again. If a different slot already has a tool, resource or prompt of the same name, the
  // catalog refuses the new tool, resource or prompt.
  std::vector<Refusal> set(const std::string& slot, std::shared_ptr<Provider> provider);

  // Replaces the providers of several slots, as set() does for one, and publishes one snapshot. The
  // returned lists of refusals have the same order as `changes`.
  struct Change {
    std::string slot;
    std::shared_ptr<Provider> provider;
  };
  std::vector<std::vector<Refusal>> set_all(std::vector<Change> changes);

  // The catalog calls `listener` after each publication that changed the lists that clients see.
  // The catalog never removes a listener that was added with on_change().
  void on_change(std::function<void(const Changes&)> listener) {
    listeners_.push_back(std::move(listener));
  }

  // The catalog calls `listener` each time that it has published a snapshot. Code that keeps a
  // snapshot must release the snapshot in its listener, so that replaced providers can retire. The
  // catalog never removes a listener that was added with on_publish().
  void on_publish(std::function<void()> listener) {
    publish_listeners_.push_back(std::move(listener));
  }

  // The catalog calls `listener` before the listeners of on_change(). `of` has the providers whose
  // entries changed. An empty `of` means that the entries of any provider can have changed. The
  // catalog never removes a listener.
  using OnChangeOf = std::function<void(const Changes& changes, const ChangesOf& of)>;
  void on_change_of(OnChangeOf listener) { listeners_of_.push_back(std::move(listener)); }

  // Notifies the listeners of changes in the lists that clients see. lists_changed() can also
  // report changes of entries that are not in this catalog.
  void lists_changed(const Changes& changes, const ChangesOf& of = {}) const;

  // Notifies listeners that the contents of `uri` changed at the provider `of`. nullopt: a provider
  // that all clients see. resource_updated() calls the listeners on every update.
  using From = std::optional<ProviderIdentity::Id>;
  void resource_updated(const std::string& uri, const From& of = std::nullopt) const;
  using OnUpdate = std::function<void(const std::string& uri, const From& of)>;
  void on_resource_updated(OnUpdate listener) { update_listeners_.push_back(std::move(listener)); }

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

  std::vector<Slot> slots_;  // if two slots offer the same name, the earlier one has priority
  std::shared_ptr<const Snapshot> snapshot_;
  // `shown_` is the digest of the entries that tools/list shows. A reload of the same tools does
  // not change the digest `shown_`.
  std::string shown_;
  std::vector<std::function<void()>> publish_listeners_;
  std::vector<std::function<void(const Changes&)>> listeners_;
  std::vector<OnChangeOf> listeners_of_;
  std::vector<OnUpdate> update_listeners_;
};

}  // namespace host::tool
