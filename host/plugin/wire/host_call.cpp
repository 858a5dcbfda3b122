#include "plugin/wire/host_call.h"

namespace host::plugin {

void write_host_call(std::string& out, const HostCall& asked) {
  FrameWriter frame(out, FrameType::HostCall, asked.id);
  frame.u64(asked.call).u32(static_cast<std::uint32_t>(asked.service)).raw(asked.bytes);
}

std::optional<HostCall> read_host_call(const Frame& frame) {
  BodyReader body(frame.body);
  HostCall asked;
  asked.id = frame.call_id;
  asked.call = body.u64();
  asked.service = static_cast<ServiceId>(body.u32());
  if (!body.ok()) return std::nullopt;
  asked.bytes = body.rest();
  return asked;
}

void write_host_answer(std::string& out, std::uint64_t id, const HostAnswer& answer) {
  constexpr std::size_t kOther = 64;  // the numbers and lengths
  if (answer.json.size() + answer.bytes.size() + kOther > kMaxFrameBytes) {
    return write_host_answer(out, id, {TP_E_NOMEM, 0, {}, "the answer is larger than 16 MiB"});
  }
  FrameWriter frame(out, FrameType::HostRet, id, answer.file ? kWithFile : std::uint16_t{0});
  frame.i32(answer.status).u64(answer.number).text(answer.json).text(answer.bytes);
}

std::optional<HostAnswer> read_host_answer(const Frame& frame) {
  BodyReader body(frame.body);
  HostAnswer answer;
  answer.status = body.i32();
  answer.number = body.u64();
  answer.json = body.text();
  answer.bytes = body.text();
  if (!body.done()) return std::nullopt;
  return answer;
}

void mark_file_lost(std::string& out, std::size_t frame) {
  constexpr std::size_t kFlagsAt = 6;
  out[frame + kFlagsAt] = static_cast<char>(kFileLost);
}

}  // namespace host::plugin
