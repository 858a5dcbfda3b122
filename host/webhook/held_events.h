// Keeps events in memory that the store could not accept, for example because the disk is full. The
// functions of HeldEvents are called on the I/O thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "store/part/webhook_store.h"

namespace host::webhook {

class HeldEvents {
 public:
  explicit HeldEvents(std::size_t most) : most_(most) {}

  bool empty() const { return events_.empty(); }
  // Returns false if there is no room for the event. The events of one principal can fill at most
  // three quarters of the memory.
  bool add(const store::WebhookEvent& event);
  // Returns at most `count` events, the oldest first.
  std::vector<store::WebhookEvent> oldest(std::size_t count) const;
  // Removes the `count` oldest events.
  void remove(std::size_t count);

 private:
  const std::size_t most_;
  std::deque<store::WebhookEvent> events_;
  std::map<std::string, std::size_t> of_principal_;  // number of events, by principal
};

}  // namespace host::webhook
