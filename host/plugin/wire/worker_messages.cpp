#include "plugin/wire/worker_messages.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/text/encoding.h"
#include "json/json.h"
#include "plugin/wire/passport_codec.h"

namespace host::plugin {
namespace {

void append_u32(std::string& out, std::uint32_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

bool is_report(std::string_view text) {
  return text.size() <= kMostReportBytes && is_utf8(text);
}

void append_text(std::string& out, std::string_view text) {
  append_u32(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

void write_profile(FrameWriter& frame, const sandbox::Profile& profile) {
  const std::uint32_t flags = (profile.sockets ? 1u : 0u) | (profile.exec ? 2u : 0u);
  frame.text(profile.library).text(profile.work_dir).text(profile.filter).u32(flags);
  frame.u64(profile.memory_bytes).u64(profile.file_bytes).u64(profile.cpu_seconds);
  frame.u32(profile.uid).u32(profile.required.bits()).u32(profile.landlock_abi);
  frame.u32(static_cast<std::uint32_t>(profile.fs.size()));
  for (const sandbox::FsGrant& grant : profile.fs) frame.text(grant.path).u32(grant.write ? 1 : 0);
  frame.u32(static_cast<std::uint32_t>(profile.programs.size()));
  for (const std::string& program : profile.programs) frame.text(program);
}

sandbox::Profile read_profile(BodyReader& reader) {
  sandbox::Profile profile;
  profile.library = reader.text();
  profile.work_dir = reader.text();
  profile.filter = reader.text();
  const std::uint32_t flags = reader.u32();
  profile.sockets = (flags & 1u) != 0;
  profile.exec = (flags & 2u) != 0;
  profile.memory_bytes = reader.u64();
  profile.file_bytes = reader.u64();
  profile.cpu_seconds = reader.u64();
  profile.uid = reader.u32();
  profile.required = sandbox::LayerSet(reader.u32());
  profile.landlock_abi = reader.u32();
  for (std::uint32_t left = reader.u32(); left > 0 && reader.ok(); --left) {
    std::string path(reader.text());
    profile.fs.push_back({std::move(path), reader.u32() != 0});
  }
  for (std::uint32_t left = reader.u32(); left > 0 && reader.ok(); --left)
    profile.programs.emplace_back(reader.text());
  return profile;
}

}  // namespace

void write_config(std::string& out, const WorkerConfig& config) {
  FrameWriter frame(out, FrameType::Config, 0);
  frame.u32(kProtocolVersion)
      .u32(config.selftest ? 1 : 0)
      .u64(config.result_bytes)
      .u32(config.threads);
  frame.text(config.library).text(config.settings);
  write_profile(frame, config.profile);
  frame.u32(static_cast<std::uint32_t>(config.secrets.size()));
  for (const auto& [name, value] : config.secrets) frame.text(name).text(value);
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
  config.profile = read_profile(reader);
  for (std::uint32_t left = reader.u32(); left > 0 && reader.ok(); --left) {
    std::string name(reader.text());
    config.secrets.emplace_back(std::move(name), reader.text());
  }
  if (!reader.done()) return std::nullopt;
  return config;
}

void write_sandboxed(std::string& out, const sandbox::Applied& applied) {
  FrameWriter frame(out, FrameType::Sandboxed, 0);
  frame.u32(static_cast<std::uint32_t>(applied.layers.size()));
  for (const sandbox::Layer& layer : applied.layers) {
    frame.u32(static_cast<std::uint32_t>(layer.name)).u32(layer.active ? 1 : 0).text(layer.detail);
  }
  frame.u32(static_cast<std::uint32_t>(applied.absent.size()));
  for (const std::string& path : applied.absent) frame.text(path);
}

std::optional<sandbox::Applied> read_sandboxed(std::string_view body) {
  BodyReader reader(body);
  sandbox::Applied applied;
  for (std::uint32_t left = reader.u32(); left > 0 && reader.ok(); --left) {
    const std::uint32_t name = reader.u32();
    if (name >= sandbox::kLayerNames.size()) return std::nullopt;
    const bool active = reader.u32() != 0;
    applied.layers.push_back(
        {static_cast<sandbox::LayerName>(name), active, std::string(reader.text())});
  }
  for (std::uint32_t left = reader.u32(); left > 0 && reader.ok(); --left)
    applied.absent.emplace_back(reader.text());
  if (!reader.done()) return std::nullopt;
  return applied;
}

namespace {

// A call that has not asked before, which most have not, has no bytes for it.
void write_continuation(FrameWriter& frame, const tool::Continuation& continuation) {
  frame.text(continuation.state).u32(static_cast<std::uint32_t>(continuation.answers.size()));
  for (const auto& [key, answer] : continuation.answers) frame.text(key).text(answer);
}

std::shared_ptr<const tool::Continuation> read_continuation(BodyReader& reader) {
  auto continuation = std::make_shared<tool::Continuation>();
  continuation->state = reader.text();
  for (std::uint32_t left = reader.u32(); left > 0 && reader.ok(); --left) {
    std::string key(reader.text());
    continuation->answers.insert_or_assign(std::move(key), reader.text());
  }
  return continuation;
}

}  // namespace

namespace {

void write_pieces(FrameWriter& frame, const std::vector<PayloadPiece>& pieces) {
  frame.u32(static_cast<std::uint32_t>(pieces.size()));
  for (const PayloadPiece& piece : pieces) frame.u32(piece.slot).u32(piece.bytes);
}

std::vector<PayloadPiece> read_pieces(BodyReader& reader) {
  std::vector<PayloadPiece> pieces;
  for (std::uint32_t left = reader.u32(); left > 0 && reader.ok(); --left) {
    PayloadPiece& piece = pieces.emplace_back();
    piece.slot = reader.u32();
    piece.bytes = reader.u32();
  }
  return pieces;
}

}  // namespace

void write_call(std::string& out, std::uint64_t call_id, const CallMessage& call) {
  FrameWriter frame(out, FrameType::Call, call_id);
  const std::uint32_t flags = (call.nonblocking ? 1u : 0u) | (call.nested ? 2u : 0u) |
                              (call.pieces.empty() ? 0u : 8u) | call.abilities << 8u;
  frame.u32(call.tool)
      .u32(static_cast<std::uint32_t>(call.function))
      .u32(flags)
      .i64(call.deadline_ns);
  if (!call.pieces.empty()) write_pieces(frame, call.pieces);
  frame.text(call.arguments).text(call.context);
  write_passport(frame, *call.passport);
  if (call.continuation) write_continuation(frame, *call.continuation);
}

std::size_t call_bytes(const CallMessage& call) {
  std::size_t bytes =
      28 + call.arguments.size() + call.context.size() + passport_bytes(*call.passport);
  if (!call.pieces.empty()) bytes += 4 + 8 * call.pieces.size();
  if (!call.continuation) return bytes;
  bytes += 8 + call.continuation->state.size();
  for (const auto& [key, answer] : call.continuation->answers) {
    bytes += 8 + key.size() + answer.size();
  }
  return bytes;
}

std::optional<CallMessage> read_call(std::string_view body) {
  BodyReader reader(body);
  CallMessage call;
  call.tool = reader.u32();
  const std::uint32_t function = reader.u32();
  if (function > static_cast<std::uint32_t>(tool::Function::LeaveCall)) return std::nullopt;
  call.function = static_cast<tool::Function>(function);
  const std::uint32_t flags = reader.u32();
  call.nonblocking = (flags & 1u) != 0;
  call.nested = (flags & 2u) != 0;
  call.abilities = flags >> 8u;
  call.deadline_ns = reader.i64();
  if ((flags & 8u) != 0) call.pieces = read_pieces(reader);
  call.arguments = reader.text();
  call.context = reader.text();
  call.passport = read_passport(reader);
  if (reader.ok() && !reader.empty()) call.continuation = read_continuation(reader);
  if (!reader.done()) return std::nullopt;
  return call;
}

void write_news(std::string& out, const News& news) {
  FrameWriter frame(out, FrameType::News, 0, kOptional);
  frame.u32((news.resources ? 1u : 0u) | (news.prompts ? 2u : 0u));
  frame.u32(static_cast<std::uint32_t>(news.tools.size()));
  for (const auto& [tool, on] : news.tools) frame.u32(tool).u32(on ? 1 : 0);
  frame.u32(static_cast<std::uint32_t>(news.updated.size()));
  for (const std::string& uri : news.updated) frame.text(uri);
}

std::optional<News> read_news(std::string_view body) {
  BodyReader reader(body);
  News news;
  const std::uint32_t lists = reader.u32();
  news.resources = (lists & 1u) != 0;
  news.prompts = (lists & 2u) != 0;
  for (std::uint32_t left = reader.u32(); left > 0 && reader.ok(); --left) {
    const std::uint32_t tool = reader.u32();
    if (tool >= News::kMostTools) return std::nullopt;
    news.tools[tool] = reader.u32() != 0;
  }
  for (std::uint32_t left = reader.u32(); left > 0 && reader.ok(); --left) {
    const std::string_view uri = reader.text();
    if (uri.empty() || uri.size() > News::kMostUriBytes || !is_utf8(uri)) return std::nullopt;
    news.add_updated(uri);
  }
  if (!reader.done()) return std::nullopt;
  return news;
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

std::string log_fields(std::string_view json) {
  if (json.empty() || json.size() > kMostReportBytes) return {};
  const auto tree = json::parse(json);
  return tree && tree->root().IsObject() ? json::write(tree->root()) : std::string();
}

std::optional<LogMessage> read_log(std::string_view body) {
  BodyReader reader(body);
  LogMessage log;
  log.level = reader.i32();
  log.message = reader.text();
  const std::string_view fields = reader.text();
  log.fields = log_fields(fields);
  if (!reader.done() || !is_report(log.message) || log.fields.empty() != fields.empty())
    return std::nullopt;
  return log;
}

std::optional<ProgressMessage> read_progress(std::string_view body) {
  BodyReader reader(body);
  ProgressMessage progress;
  progress.done = reader.f64();
  progress.total = reader.f64();
  progress.message = reader.text();
  const bool finite = std::isfinite(progress.done) && std::isfinite(progress.total);
  if (!reader.done() || !finite || !is_report(progress.message)) return std::nullopt;
  return progress;
}

void append_piece(std::string& out, PayloadPiece piece) {
  append_u32(out, piece.slot);
  append_u32(out, piece.bytes);
}

std::optional<PayloadPiece> read_piece(std::string_view bytes) {
  BodyReader body(bytes);
  PayloadPiece piece;
  piece.slot = body.u32();
  piece.bytes = body.u32();
  if (!body.done()) return std::nullopt;
  return piece;
}

}  // namespace host::plugin
