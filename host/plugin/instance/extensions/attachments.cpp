#include <toolpost/ext/attachments.h>

#include <string>

#include "plugin/instance/abi_text.h"
#include "plugin/instance/extensions/tables.h"
#include "plugin/instance/instance.h"

namespace host::plugin {
namespace {

tp_status list_attachments(tp_host* host, const tp_call* call, const tp_reply* reply) {
  return Instance::of(host).host_calls().ask(ServiceId::AttachmentList, call, {}, reply);
}

tp_status read_attachment(tp_host* host, const tp_call* call, tp_str id, std::uint64_t offset,
                          std::uint32_t most, const tp_reply* reply) {
  if (!readable(id)) return TP_E_INVALID;
  std::string bytes;
  BodyWriter(bytes).u64(offset).u32(most).text(view(id));
  return Instance::of(host).host_calls().ask(ServiceId::AttachmentRead, call, std::move(bytes),
                                             reply);
}

tp_status open_attachment(tp_host* host, const tp_call* call, tp_str id, const tp_reply* reply) {
  if (!readable(id)) return TP_E_INVALID;
  return Instance::of(host).host_calls().ask(ServiceId::AttachmentOpen, call, std::string(view(id)),
                                             reply);
}

}  // namespace

extern const tp_attachments_api kAttachmentsTable = {
    sizeof(tp_attachments_api), 0, &list_attachments, &read_attachment, &open_attachment};

}  // namespace host::plugin
