#include "plugin/worker_messages.h"

#include <cstring>

namespace host::plugin {
namespace {

void append_u32(std::string& out, std::uint32_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

void append_text(std::string& out, std::string_view text) {
  append_u32(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

}  // namespace

void write_config(std::string& out, const WorkerConfig& config) {
  FrameWriter frame(out, FrameType::Config, 0);
  frame.u32(kProtocolVersion)
      .u32(config.selftest ? 1 : 0)
      .u64(config.result_bytes)
      .u32(config.threads);
  frame.text(config.library).text(config.settings);
}

std::optional<WorkerConfig> read_config(std::string_view body) {
  BodyReader reader(body);
  WorkerConfig config;
  if (reader.u32() != kProtocolVersion) return std::nullopt;
  config.selftest = reader.u32() != 0;
  config.result_bytes = reader.u64();
  config.threads = reader.u32();
  config.library = reader.text();
  config.settings = reader.text();
  if (!reader.done()) return std::nullopt;
  return config;
}

void write_call(std::string& out, std::uint64_t call_id, const CallMessage& call) {
  FrameWriter frame(out, FrameType::Call, call_id);
  frame.u32(call.tool).u32(call.entry).u32(call.nonblocking ? 1 : 0).i64(call.deadline_ns);
  frame.text(call.arguments).text(call.context).text(call.request);
  frame.text(call.principal).text(call.session).text(call.traceparent);
}

std::size_t call_bytes(const CallMessage& call) {
  return 44 + call.arguments.size() + call.context.size() + call.request.size() +
         call.principal.size() + call.session.size() + call.traceparent.size();
}

std::optional<CallMessage> read_call(std::string_view body) {
  BodyReader reader(body);
  CallMessage call;
  call.tool = reader.u32();
  call.entry = reader.u32();
  call.nonblocking = reader.u32() != 0;
  call.deadline_ns = reader.i64();
  call.arguments = reader.text();
  call.context = reader.text();
  call.request = reader.text();
  call.principal = reader.text();
  call.session = reader.text();
  call.traceparent = reader.text();
  if (!reader.done()) return std::nullopt;
  return call;
}

void append_record(std::string& out, const Record& record) {
  append_u32(out, record.kind);
  append_u32(out, static_cast<std::uint32_t>(record.code));
  append_text(out, record.mime);
  append_text(out, record.bytes);
}

bool read_record(BodyReader& body, Record& record) {
  record.kind = body.u32();
  record.code = body.i32();
  record.mime = body.text();
  record.bytes = body.text();
  return body.ok();
}

}  // namespace host::plugin
