// Encodes and decodes the frames that host and worker exchange. Host and worker exchange frames
// with a 24-byte header and a body, over a stream socket.
//
//     magic u32 | type u16 | flags u16 | call id u64 | body length u32 | reserved u32 (0)
//
// Numbers are little-endian. Host and worker refuse every malformed frame, because bytes from a
// worker are untrusted. A reader skips a frame of an unknown type if the frame has the flag
// kOptional. Without kOptional, a frame of an unknown type is an error. After an error, the reader
// cannot continue with the stream. The functions that encode and decode frames are not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::plugin {

constexpr std::uint32_t kFrameMagic = 0x31465054;  // "TPF1"
constexpr std::size_t kFrameHeaderBytes = 24;
constexpr std::uint32_t kMaxFrameBytes = 16u << 20u;  // maximum size of a body
constexpr std::uint16_t kOptional = 1;
constexpr std::uint32_t kProtocolVersion = 8;

enum class FrameType : std::uint16_t {
  Hello = 1,       // sent by worker: u32 protocol, u32 ABI major
  Config = 2,      // sent by host: the library to load, see worker_messages.h
  Manifest = 3,    // sent by worker: the descriptor as JSON; the worker is now ready for calls
  Refused = 4,     // sent by worker: the reason why the worker cannot serve; it then exits
  Call = 5,        // sent by host: a call, see worker_messages.h
  Cancel = 6,      // sent by host: cancel the call
  Push = 7,        // sent by worker: records, and more records follow
  Done = 8,        // sent by worker: i32 status, then the last records
  Progress = 9,    // sent by worker: f64 done, f64 total, text
  Log = 10,        // sent by worker: i32 level, text, text of a JSON object
  Ping = 11,       // sent by host
  Pong = 12,       // sent by worker
  Quiesce = 13,    // sent by host: u32 grace in ms
  Bye = 14,        // sent by worker: the worker has quiesced and will exit
  Loaded = 15,     // sent by worker: JSON Schema of the settings, or empty; next frame: Create
  Create = 16,     // sent by host: the settings are valid
  News = 17,       // sent by worker, optional: see worker_messages.h; the worker sends the next
                   // News only after NewsHeard
  NewsHeard = 18,  // sent by host, optional
  SaveState = 23,  // sent by host: no call is running; State frames follow
  State = 24,      // sent by host or worker: a piece of a state, see state_frames.h
  StateEnd = 25,   // sent by host or worker: the state is complete, or why there is none
  Sandboxed = 19,  // sent by worker before Loaded: the sandbox, see worker_messages.h
  // The worker sends a request to a service of the host, see host_call.h. The ids of requests to
  // services are separate from the ids of calls.
  HostCall = 20,
  HostRet = 21,   // sent by host: the answer to a HostCall
  HostDrop = 22,  // sent by worker: nobody needs the answer to a HostCall any more
};

struct Frame {
  FrameType type = FrameType::Ping;
  std::uint16_t flags = 0;
  std::uint64_t call_id = 0;
  std::string_view body;  // points into the reader's buffer; valid until the next prepare()
};

// Splits received bytes into complete frames.
class FrameReader {
 public:
  // Returns buffer space for the next read: enough for the missing bytes of the current frame, up
  // to a limit.
  std::span<char> prepare();
  void commit(std::size_t bytes) { end_ += bytes; }

  // Returns the next complete frame. Returns nullopt if more bytes are needed.
  Result<std::optional<Frame>> next();

  bool mid_frame() const { return end_ != begin_; }

 private:
  Result<std::optional<Frame>> take();

  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t wanted_ = kFrameHeaderBytes;  // bytes from begin_ that the current frame needs
};

// Appends values to the body of a frame.
class BodyWriter {
 public:
  explicit BodyWriter(std::string& out) : out_(out) {}

  BodyWriter& u32(std::uint32_t value);
  BodyWriter& i32(std::int32_t value) { return u32(static_cast<std::uint32_t>(value)); }
  BodyWriter& u64(std::uint64_t value);
  BodyWriter& i64(std::int64_t value) { return u64(static_cast<std::uint64_t>(value)); }
  BodyWriter& f64(double value);
  BodyWriter& text(std::string_view value);  // appends the length, then the bytes
  // Appends `value` to the body, without its length. raw() must write the last part of a frame's
  // body.
  BodyWriter& raw(std::string_view value);

 protected:
  std::string& out_;
};

// Appends one frame to `out`. The destructor of a FrameWriter writes the frame's length.
class FrameWriter : public BodyWriter {
 public:
  FrameWriter(std::string& out, FrameType type, std::uint64_t call_id, std::uint16_t flags = 0);
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;
  ~FrameWriter();

 private:
  std::size_t start_;
};

// Reads the values of a body in order. A read beyond the end of the body returns zero or an empty
// text and makes ok() false.
class BodyReader {
 public:
  explicit BodyReader(std::string_view body) : rest_(body) {}

  std::uint32_t u32();
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
  std::uint64_t u64();
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  double f64();
  std::string_view text();
  std::string_view rest() { return take(rest_.size()); }

  bool ok() const { return ok_; }
  bool empty() const { return rest_.empty(); }
  bool done() const { return ok_ && rest_.empty(); }  // true: the whole body was read

 private:
  std::string_view take(std::size_t bytes);

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace host::plugin
