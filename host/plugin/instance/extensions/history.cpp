#include <toolpost/ext/history.h>

#include <string>

#include "plugin/instance/extensions/tables.h"
#include "plugin/instance/instance.h"

namespace host::plugin {
namespace {

tp_status list_history(tp_host* host, const tp_call* call, std::uint64_t before, std::uint32_t most,
                       const tp_reply* reply) {
  std::string bytes;
  BodyWriter(bytes).u64(before).u32(most);
  return Instance::of(host).host_calls().ask(ServiceId::HistoryList, call, std::move(bytes), reply);
}

}  // namespace

extern const tp_history_api kHistoryTable = {sizeof(tp_history_api), 0, &list_history};

}  // namespace host::plugin
