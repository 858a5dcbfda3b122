// Fills the history of sessions from the call pipeline and from stored records. The SessionHistory
// also connects the history to the service with which plugins read it. Call the functions of this
// header on the I/O thread.
#pragma once

#include <memory>

#include "config/config.h"
#include "plugin/services/history.h"
#include "session/history.h"
#include "task/records.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::app {

class SessionHistory {
 public:
  // If no plugin may read the history, the SessionHistory stores no calls.
  explicit SessionHistory(const config::Config& config);

  bool is_read() const { return is_read_; }

  void offer_in(plugin::ServiceTable& table) { service_.offer_in(table); }
  // Call ended() when a call has ended. `arguments` has the arguments that the client of the call
  // sent.
  void ended(const tool::Call& call, const std::string& arguments,
             const Result<tool::CallResult>& result);
  // Adds the stored calls that began before the host started to the history.
  void take_over(const task::Records& records);
  void forget(std::string_view session) { history_.forget(session); }

 private:
  plugin::HistoryService::Page page(const tool::Peer& who, std::uint64_t before,
                                    std::uint32_t most) const;

  const bool is_read_;
  session::History history_;
  plugin::HistoryService service_;
};

}  // namespace host::app
