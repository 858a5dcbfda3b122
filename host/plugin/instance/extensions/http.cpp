#include <toolpost/ext/http.h>

#include <string>

#include "plugin/instance/abi_text.h"
#include "plugin/instance/extensions/tables.h"
#include "plugin/instance/instance.h"

namespace host::plugin {
namespace {

tp_status request(tp_host* host, const tp_call* call, tp_str request_json, tp_str body,
                  const tp_reply* reply) {
  if (!readable(request_json) || !readable(body)) return TP_E_INVALID;
  if (request_json.len > kMostHostCallBytes || body.len > kMostHostCallBytes) return TP_E_NOMEM;
  std::string bytes;
  BodyWriter(bytes).text(view(request_json)).raw(view(body));
  return Instance::of(host).host_calls().ask(ServiceId::HttpRequest, call, std::move(bytes), reply);
}

}  // namespace

extern const tp_http_api kHttpTable = {sizeof(tp_http_api), 0, &request};

}  // namespace host::plugin
