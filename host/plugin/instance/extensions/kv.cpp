#include <toolpost/ext/kv.h>

#include <string>

#include "plugin/instance/abi_text.h"
#include "plugin/instance/extensions/tables.h"
#include "plugin/instance/instance.h"

namespace host::plugin {
namespace {

tp_status ask(tp_host* host, ServiceId service, const tp_call* call, std::string bytes,
              const tp_reply* reply) {
  return Instance::of(host).host_calls().ask(service, call, std::move(bytes), reply);
}

tp_status get(tp_host* host, const tp_call* call, std::uint32_t scope, tp_str key,
              const tp_reply* reply) {
  if (!readable(key)) return TP_E_INVALID;
  std::string bytes;
  BodyWriter(bytes).u32(scope).text(view(key));
  return ask(host, ServiceId::KvGet, call, std::move(bytes), reply);
}

tp_status set(tp_host* host, const tp_call* call, std::uint32_t scope, tp_str key, tp_str value,
              std::uint64_t expected, const tp_reply* reply) {
  if (!readable(key) || !readable(value)) return TP_E_INVALID;
  if (value.len > kMostHostCallBytes) return TP_E_NOMEM;  // not copied in vain
  std::string bytes;
  BodyWriter(bytes).u32(scope).u64(expected).text(view(key)).raw(view(value));
  return ask(host, ServiceId::KvSet, call, std::move(bytes), reply);
}

tp_status remove(tp_host* host, const tp_call* call, std::uint32_t scope, tp_str key,
                 std::uint64_t expected, const tp_reply* reply) {
  if (!readable(key)) return TP_E_INVALID;
  std::string bytes;
  BodyWriter(bytes).u32(scope).u64(expected).text(view(key));
  return ask(host, ServiceId::KvRemove, call, std::move(bytes), reply);
}

tp_status list(tp_host* host, const tp_call* call, std::uint32_t scope, tp_str prefix, tp_str after,
               std::uint32_t limit, const tp_reply* reply) {
  if (!readable(prefix) || !readable(after)) return TP_E_INVALID;
  std::string bytes;
  BodyWriter(bytes).u32(scope).u32(limit).text(view(prefix)).text(view(after));
  return ask(host, ServiceId::KvList, call, std::move(bytes), reply);
}

}  // namespace

extern const tp_kv_api kKvTable = {sizeof(tp_kv_api), 0, &get, &set, &remove, &list};

}  // namespace host::plugin
