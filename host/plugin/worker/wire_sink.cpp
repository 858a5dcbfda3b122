#include "plugin/worker/wire_sink.h"

namespace host::plugin::worker {
namespace {

constexpr std::size_t kGatherBytes = 256u << 10u;
constexpr std::size_t kPieceBytes = kPayloadSlotBytes;

}  // namespace

tp_status WireSink::push(std::uint32_t kind, std::string_view mime, std::string_view bytes) {
  Block block;
  const tp_status status = check_.check(kind, mime, bytes, block);
  if (status != TP_OK) return status;
  if (block.partial) send_kept();     // which came before it
  add({kind, 0, block.mime, bytes});  // none where it means nothing, and nobody has checked it
  if (block.partial) send_records();  // somebody watches now
  return TP_OK;
}

tp_status WireSink::error(std::int32_t code, std::string_view message, std::string_view json_data) {
  std::string compact;
  const tp_status status = check_.check_error(message, json_data, compact);
  if (status == TP_OK) add({Record::kError, code, compact, message});
  return status;
}

RoundBuilder& WireSink::round() {
  if (!round_) round_ = std::make_unique<RoundBuilder>(abilities_);
  return *round_;
}

tp_status WireSink::ask(std::string_view key, std::string_view method, std::string_view params) {
  const std::uint32_t lacked = round().lacking();
  const tp_status status = round().ask(key, method, params);
  // One that cannot be asked is told once for what it lacks.
  const bool tell = status == TP_OK || round().lacking() != lacked;
  if (tell) add({Record::kAsk, *number_of_method(method), key, params});
  return status;
}

tp_status WireSink::keep(std::string_view state) {
  const tp_status status = round().keep(state);
  if (status == TP_OK) add({Record::kKeep, 0, {}, state});
  return status;
}

void WireSink::add(Record record) {
  const std::uint32_t kind = record.kind;
  const std::string_view mime = record.mime;
  std::string_view rest = record.bytes;
  for (;;) {
    record.bytes = rest.substr(0, kPieceBytes);
    rest.remove_prefix(record.bytes.size());
    record.kind = rest.empty() ? kind : kind | Record::kContinued;
    record.mime =
        rest.empty() ? mime : std::string_view();  // the host reads that of the last piece
    add_piece(record);
    const bool more = !rest.empty();  // the host takes a piece while the next one is put
    if (more || records_.size() >= kGatherBytes) send_records();
    if (!more) return;
  }
}

void WireSink::add_piece(Record record) {
  std::string place;
  if (const auto piece = slots_.put(record.bytes)) {
    append_piece(place, *piece);
    record.kind |= Record::kInSlot;
    record.bytes = place;
  }
  append_record(records_, record);
}

void WireSink::send_records() {
  if (records_.empty()) return;
  channel_.send(
      [this](std::string& out) { FrameWriter(out, FrameType::Push, call_id_).raw(records_); });
  records_.clear();
}

void WireSink::progress(double done, double total, std::string_view message) {
  if (steps_.take(done, total, message)) send_progress(done, total, message);
}

void WireSink::send_kept() {
  if (const auto kept = steps_.take_kept()) send_progress(kept->done, kept->total, kept->message);
}

void WireSink::send_progress(double done, double total, std::string_view message) {
  channel_.send([&](std::string& out) {
    FrameWriter(out, FrameType::Progress, call_id_).f64(done).f64(total).text(message);
  });
}

void WireSink::log(int level, std::string_view message, std::string_view json_fields) {
  channel_.send([&](std::string& out) {
    FrameWriter(out, FrameType::Log, call_id_).i32(level).text(message).text(json_fields);
  });
}

void WireSink::done(tp_status status) {
  on_done_();
  send_kept();
  // A plugin that does not look at the status would answer without the block.
  const std::string breach = check_.breach();
  if (!breach.empty() && error(0, breach, {}) != TP_OK) status = kResultTooLarge;
  if (status == TP_E_NOMEM && check_.over_limit()) status = kResultTooLarge;
  channel_.send([&](std::string& out) {
    FrameWriter(out, FrameType::Done, call_id_).i32(status).raw(records_);
  });
}

}  // namespace host::plugin::worker
