// The bodies of the frames between host and worker. The host does not trust the bodies of a
// worker's frames. Every reader checks the bodies, although the sender is an executable of the
// host.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/wire/frame.h"
#include "plugin/wire/news.h"
#include "plugin/wire/payload_slots.h"
#include "plugin/wire/redactor.h"
#include "sandbox/apply.h"
#include "sandbox/profile.h"
#include "tool/call/function.h"
#include "tool/call/passport.h"
#include "tool/definition/question.h"

namespace host::plugin {

// The library that the worker loads, and the worker's settings.
struct WorkerConfig {
  std::string library;   // absolute path
  std::string settings;  // a JSON object
  std::uint64_t result_bytes = 0;
  std::uint32_t threads = 1;  // maximum number of threads for calls that can block
  bool selftest = false;
  sandbox::Profile profile;
  Secrets secrets;
};

void write_config(std::string& out, const WorkerConfig& config);
std::optional<WorkerConfig> read_config(std::string_view body);

// The worker sends its sandbox once, before any code of the plugin runs.
void write_sandboxed(std::string& out, const sandbox::Applied& applied);
std::optional<sandbox::Applied> read_sandboxed(std::string_view body);

// A call that the host sends to the worker. The string views point into the received frame or, in
// the sender, into the sender's texts.
struct CallMessage {
  std::uint32_t tool = 0;
  tool::Function function = tool::Function::Call;
  bool nonblocking = false;
  bool nested = false;          // a nested call for which its outer call waits
  std::uint32_t abilities = 0;  // TP_ASK_... bits
  std::int64_t deadline_ns = 0;
  std::vector<PayloadPiece> pieces;  // the part of the arguments that is in slots
  std::string_view arguments;        // rest of the arguments; for ReadResource: the URI
  std::string_view context;
  tool::PassportPtr passport = tool::unnamed_passport();   // see passport_codec.h; never null
  std::shared_ptr<const tool::Continuation> continuation;  // null: no earlier questions
};

void write_call(std::string& out, std::uint64_t call_id, const CallMessage& call);
std::optional<CallMessage> read_call(std::string_view body);
std::size_t call_bytes(const CallMessage& call);  // the number of bytes of the body

void write_news(std::string& out, const News& news);
std::optional<News> read_news(std::string_view body);

// A record is one of these: a block that the plugin pushed, an error(), or a piece of a block that
// is too big for one frame. Push and Done frames can contain any number of records.
struct Record {
  static constexpr std::uint32_t kError = 0x8000'0000;  // an error(); `mime` has its JSON data
  static constexpr std::uint32_t kContinued =
      0x4000'0000;  // the next record has more bytes of this block
  // The flag kAsk means that the record is a question to the client. `code` is the number of the
  // question's method, and `mime` is the question's key.
  static constexpr std::uint32_t kAsk = 0x2000'0000;
  static constexpr std::uint32_t kKeep = 0x1000'0000;  // the record has bytes for the next round
  // `bytes` contains only a PayloadPiece. The PayloadPiece gives the number of the shared-memory
  // slot with the real bytes.
  static constexpr std::uint32_t kInSlot = 0x0800'0000;
  std::uint32_t kind = 0;
  std::int32_t code = 0;
  std::string_view mime;
  std::string_view bytes;
};

void append_record(std::string& out, const Record& record);
bool read_record(BodyReader& body, Record& record);  // false: malformed

// The maximum size of a log line, of its fields, and of the message of a progress report.
inline constexpr std::size_t kMostReportBytes = std::size_t{16} << 10u;

// Returns the fields of a log line as compact JSON. Returns an empty text if the fields are not a
// JSON object, or have more than kMostReportBytes.
std::string log_fields(std::string_view json);

// In the worker, the functions of an instance check log lines and progress of a plugin.
// The host repeats the checks (UTF-8, finite numbers, JSON fields, kMostReportBytes), because it
// puts the texts into messages to clients.
struct LogMessage {
  int level = 0;
  std::string_view message;  // points into the frame
  std::string fields;        // compact JSON object; empty: no fields
};
std::optional<LogMessage> read_log(std::string_view body);

struct ProgressMessage {
  double done = 0;
  double total = 0;          // 0: unknown
  std::string_view message;  // points into the frame
};
std::optional<ProgressMessage> read_progress(std::string_view body);

void append_piece(std::string& out, PayloadPiece piece);
std::optional<PayloadPiece> read_piece(std::string_view bytes);

}  // namespace host::plugin
