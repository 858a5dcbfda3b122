// Everything that a host reads from a worker. The first byte says how the rest came: as the bytes
// of the socket, in pieces; as frames whose headers hold, so that mutations meet the bodies;
// through the pipe of a crash; or as a trace.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "json/json.h"
#include "plugin/declared/manifest.h"
#include "plugin/process/handshake.h"
#include "plugin/process/held_calls.h"
#include "plugin/process/symbolizer.h"
#include "plugin/wire/crash_dump.h"
#include "plugin/wire/frame.h"
#include "plugin/wire/host_call.h"
#include "plugin/wire/news.h"
#include "plugin/wire/state_frames.h"
#include "plugin/wire/worker_messages.h"

namespace {

using namespace host;
using namespace host::plugin;

constexpr std::uint64_t kResultBytes = 1u << 20u;
enum How : std::uint8_t { Stream, Frames, Pipe, Places };

void must(bool held) {
  if (!held) std::abort();
}

// What worker_process.cpp does with each frame, less the process.
class Host {
 public:
  Host()
      : handshake_("fuzzed", "toolpost-worker", R"({"count":3})", nullptr),
        calls_(kResultBytes, slots()) {
    for (const auto function :
         {tool::Function::Call, tool::Function::Call, tool::Function::CheckPermissions,
          tool::Function::ReadResource, tool::Function::Complete, tool::Function::GetPrompt}) {
      auto call = std::make_shared<tool::Invocation>();
      call->function = function;
      call->arguments = R"({"uri":"a:b","name":"n"})";
      call->name = "a:b";
      call->on_progress = [](double, double, std::string) {};
      call->on_log = [](int, std::string, std::string, std::string) {};
      call->set_on_finish([](Result<tool::CallResult> result) {
        must(result.has_value() || !result.error().message.empty());
      });
      calls_.begin(std::move(call), false, out_);
    }
    out_.clear();
  }

  // What is left is told to nobody: the worker is gone.
  ~Host() {
    for (const LostCall& call : calls_.take_all())
      call.invocation->finish(Error{ErrorKind::PluginFault, "the worker is gone"});
  }

  Result<void> hear(const Frame& frame) {
    switch (frame.type) {
      case FrameType::Manifest: {
        const auto manifest = read_manifest(frame.body);
        must(manifest || !manifest.error().message.empty());
        return handshake_.hear(frame, out_, output_);
      }
      case FrameType::Hello:
      case FrameType::Sandboxed:
      case FrameType::Loaded:
      case FrameType::Refused:
        return handshake_.hear(frame, out_, output_);
      case FrameType::Push:
        return calls_.push(frame);
      case FrameType::Done:
        return calls_.done(frame);
      case FrameType::Progress:
        return calls_.progress(frame);
      case FrameType::Log: {
        const auto line = read_log(frame.body);
        must(!line || line->fields.empty() || json::parse(line->fields)->root().IsObject());
        must(!line || line->fields.find('\n') == std::string::npos);
        return {};
      }
      case FrameType::State:
        return state_.add(frame.body);
      case FrameType::StateEnd: {
        const auto state = state_.end(frame.body);
        must(state || !state.error().message.empty());
        return {};
      }
      case FrameType::News:
        return hear_news(frame.body);
      case FrameType::HostCall: {
        const auto asked = read_host_call(frame);
        must(!asked || asked->bytes.size() <= frame.body.size());
        return {};
      }
      default:
        return {};
    }
  }

 private:
  // One file for all: its bytes are anything in any case.
  struct Shared {
    Shared() {
      const UniqueFd file = make_payload_file();
      slots.map(file.get());
      worker.map(file.get());
    }
    PayloadSlots slots{PayloadSlots::End::Host};
    PayloadSlots worker{PayloadSlots::End::Worker};
  };
  static PayloadSlots& slots() {
    static Shared shared;
    static const std::string payload(kLeastPayloadBytes, 'x');
    while (shared.worker.put(payload)) {
    }
    return shared.slots;
  }
  // What was read is written and read the same.
  static Result<void> hear_news(std::string_view body) {
    const auto news = read_news(body);
    if (!news) return {};
    std::string again;
    write_news(again, *news);
    const auto same = read_news(std::string_view(again).substr(kFrameHeaderBytes));
    must(same && same->tools == news->tools && same->updated == news->updated);
    return {};
  }

  Handshake handshake_;
  const OutputLog output_{"fuzzed"};
  HeldCalls calls_;
  StateReader state_;
  std::string out_;
};

// In pieces of a size that the input chooses; until the first fault, as the host does.
void hear_stream(std::string_view bytes, std::size_t piece) {
  Host host;
  FrameReader reader;
  while (!bytes.empty()) {
    const auto room = reader.prepare();
    const std::size_t size = std::min({bytes.size(), piece, room.size()});
    must(size > 0);
    std::memcpy(room.data(), bytes.data(), size);
    reader.commit(size);
    bytes.remove_prefix(size);
    for (;;) {
      const auto frame = reader.next();
      if (!frame) return;
      if (!*frame) break;
      must((*frame)->body.size() <= kMaxFrameBytes);
      if (!host.hear(**frame)) return;
    }
  }
}

// Type, call and length of each body in four bytes, then the body.
std::string framed(std::string_view bytes) {
  std::string stream;
  while (bytes.size() >= 4) {
    const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
    const std::size_t length = std::min<std::size_t>(at(2) | at(3) << 8u, bytes.size() - 4);
    const auto type = static_cast<FrameType>(1 + at(0) % 32);
    FrameWriter(stream, type, at(1) % 8, kOptional).raw(bytes.substr(4, length));
    bytes.remove_prefix(4 + length);
  }
  return stream;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // Its own buffer, so that the sanitizer sees a read past its end.
  const std::string rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t piece = data[1] + std::size_t{1};
  switch (data[0] % 4) {
    case Stream:
      hear_stream(rest, piece);
      break;
    case Frames:
      hear_stream(framed(rest), piece * 64);
      break;
    case Pipe:
      if (const auto dump = read_crash_dump(rest)) {
        must(dump->frames.size() <= CrashDump::kMostFrames);
        must(describe(dump->header).size() < 100);
      }
      break;
    case Places: {
      const Trace trace = read_trace(rest);
      must(trace.empty() == describe_own_place(trace).empty());
      must(describe(trace).size() <= rest.size() + 32 * trace.size());
      break;
    }
  }
  return 0;
}
