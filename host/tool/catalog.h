// The known tools. Readers take a snapshot and see one state of the world; whoever changes
// providers publishes a new one. I/O thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
  explicit Snapshot(std::vector<Entry> entries);

  const Entry* find(std::string_view name) const;
  const std::vector<Entry>& entries() const { return entries_; }
  // post_ tools that follow the action of this name, in name order.
  const std::vector<const Entry*>& after(std::string_view action) const;

 private:
  std::vector<Entry> entries_;
  std::map<std::string, std::vector<const Entry*>, std::less<>> after_;
};

// A tool that was offered and not taken, and why.
struct Refusal {
  std::string tool;
  std::string reason;
};

class Catalog {
 public:
  Catalog();

  const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }

  // Puts `provider` in place of whatever served `slot` before (nullptr: nothing serves it any more)
  // and publishes. A name that another slot holds is refused, never overwritten.
  std::vector<Refusal> set(const std::string& slot, std::shared_ptr<Provider> provider);

  // `listener` runs after a publication that changed what tools/list shows. Kept for ever.
  void on_change(std::function<void()> listener) { listeners_.push_back(std::move(listener)); }

 private:
  std::map<std::string, std::shared_ptr<Provider>> slots_;
  std::vector<std::string> order_;  // slots, first come first served where names clash
  std::shared_ptr<const Snapshot> snapshot_;
  std::string shown_;  // digest of what lists show, to tell a change from a mere reload
  std::vector<std::function<void()>> listeners_;
};

}  // namespace host::tool
