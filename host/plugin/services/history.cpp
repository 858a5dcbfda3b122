#include "plugin/services/history.h"

#include <toolpost/ext/history.h>

#include <utility>

namespace host::plugin {

HistoryService::HistoryService(const config::Plugins& plugins, Read read) : read_(std::move(read)) {
  for (const auto& [name, settings] : plugins.by_name) {
    if (settings.history) allowed_.insert(name);
  }
}

void HistoryService::offer_in(ServiceTable& table) {
  table.add(ServiceId::HistoryList,
            [this](const std::shared_ptr<ServiceCall>& asked) { list(asked); });
}

void HistoryService::list(const std::shared_ptr<ServiceCall>& asked) const {
  BodyReader body(asked->bytes);
  const std::uint64_t before = body.u64();
  const std::uint32_t most = body.u32();
  if (!body.done() || most == 0 || most > TP_HISTORY_PAGE)
    return asked->fail(TP_E_INVALID, "a malformed request, or a length that is not 1 to 1000");
  const bool allowed =
      asked->settings ? asked->settings->history : allowed_.contains(asked->plugin);
  if (!allowed) {
    return asked->fail(TP_E_UNSUPPORTED, "the operator does not allow it: [plugin." +
                                             asked->plugin + "] needs history = true");
  }
  if (!asked->call || asked->call->passport->who.session.empty())
    return asked->fail(TP_E_UNSUPPORTED, "the call has no session");
  Page page = read_(asked->call->passport->who, before, most);
  asked->answer({TP_OK, page.more ? 1u : 0u, std::move(page.json), {}});
}

}  // namespace host::plugin
