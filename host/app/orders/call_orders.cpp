#include "app/orders/call_orders.h"

#include "app/core/core.h"

namespace host::app {

bool is_call_order(const store::PluginOrder& order) {
  return order.action == kCallCancel;
}

Result<std::string> cancel_by_order(Core& core, const store::PluginOrder& order) {
  const task::RecordPtr record = core.records().find(order.plugin);
  if (!record) {
    return Error{ErrorKind::NotFound, "this host has no call \"" + order.plugin +
                                          "\": `toolpost calls list` shows the stored calls"};
  }
  if (record->is_over()) {
    return Error{ErrorKind::InvalidArgument,
                 "call \"" + order.plugin + "\" has ended already: nothing was changed"};
  }
  if (record->made_by == tool::MadeBy::TaskClient) {
    HOST_TRY(core.tasks().cancel(record->id, record->principal, order.given_by));
  } else {
    core.detached().cancel(record, tool::kCancelled, order.given_by);
  }
  core.audit().note(store::AuditEvent::Cancel, {{"call", record->id},
                                                {"tool", record->tool},
                                                {"principal", record->principal},
                                                {"by", order.given_by},
                                                {"outcome", "ended_by_operator"}});
  core.audit().flush();
  return std::string();
}

}  // namespace host::app
