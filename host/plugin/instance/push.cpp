#include "plugin/instance/push.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "json/json.h"
#include "tool/definition/content_shape.h"
#include "tool/definition/host_meta.h"

namespace host::plugin {
namespace {

constexpr std::string_view kUnknownBytes = "application/octet-stream";
constexpr std::string_view kPlainText = "text/plain";
constexpr std::uint64_t kAddedToEach = 64;  // `type`, braces, quotes, the URI of a blob

bool is_media_type(std::string_view mime) {
  if (mime.size() > 255 || mime.find('/') == std::string_view::npos) return false;
  return std::all_of(mime.begin(), mime.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

bool has_text(const json::Value& object, std::string_view key) {
  const json::Value* member = json::find(object, key);
  return member && member->IsString();
}

bool is_link(const json::Value& value) {
  return value.IsObject() && has_text(value, "uri") && has_text(value, "name");
}

}  // namespace

PushCheck::PushCheck(std::uint64_t limit, Makes makes, std::string_view uri)
    : limit_(limit), makes_(makes) {
  if (makes != Makes::Contents) return;
  std::string quoted;
  json::write_string(uri, quoted);
  uri_bytes_ = quoted.size();
}

bool PushCheck::fits(std::size_t bytes) {
  if (bytes <= limit_ - taken_) return true;
  over_limit_ = true;
  return false;
}

// A partial result, and a further piece of an open block, are no new blocks.
bool PushCheck::has_room_for(const Block& block) {
  if (block.partial || open_kind_ != 0) return true;
  const bool room = blocks_ < kMostBlocks && added_ + added_by(block) <= limit_ + kMostAddedBytes;
  if (!room) over_limit_ = true;
  return room;
}

std::uint64_t PushCheck::added_by(const Block& block) const {
  const bool has_uri = block.kind == TP_TEXT || block.kind == TP_BLOB;
  return kAddedToEach + block.mime.size() + (has_uri ? uri_bytes_ : 0);
}

tp_status PushCheck::check_kind(std::uint32_t kind, std::string_view mime, Block& block) const {
  block.kind = kind & TP_KIND_MASK;
  block.more = (kind & TP_MORE) != 0;
  block.partial = (kind & TP_PARTIAL) != 0;
  block.mime = {};
  const bool known_flags = (kind & ~(TP_KIND_MASK | TP_MORE | TP_PARTIAL)) == 0;
  if (!known_flags || block.kind < TP_TEXT || block.kind > TP_CONTENT) return TP_E_UNSUPPORTED;
  if (makes_ == Makes::Answer && (block.kind != TP_JSON || block.partial)) return TP_E_INVALID;
  if (block.more && (block.partial || (block.kind != TP_TEXT && block.kind != TP_BLOB)))
    return TP_E_INVALID;
  if (block.partial) return block.kind == TP_TEXT || block.kind == TP_JSON ? TP_OK : TP_E_INVALID;
  if (open_kind_ != 0 && block.kind != open_kind_) return TP_E_INVALID;
  if (block.kind == TP_JSON && has_json_) return TP_E_INVALID;
  const bool contents = makes_ == Makes::Contents;
  if (contents && (block.kind == TP_JSON || block.kind == TP_RESOURCE_LINK)) return TP_E_INVALID;
  if (block.kind != TP_BLOB && !(contents && block.kind == TP_TEXT)) return TP_OK;
  block.mime = mime;
  if (mime.empty()) block.mime = block.kind == TP_BLOB ? kUnknownBytes : kPlainText;
  return is_media_type(block.mime) ? TP_OK : TP_E_INVALID;
}

bool PushCheck::is_shaped(std::uint32_t kind, const json::Value& value) {
  if (makes_ == Makes::Contents) return tool::is_resource_contents(value);
  if (kind == TP_RESOURCE_LINK) return is_link(value);
  if (kind != TP_CONTENT) return true;
  const std::string fault = tool::fault_of_content(value);
  if (fault.empty()) return true;
  if (value.IsObject() && breach_.empty())
    breach_ = "the tool returned a content block that " + fault;
  return false;
}

tp_status PushCheck::check_json(Block& block) {
  auto tree = json::parse(block.bytes);
  if (!tree || !is_shaped(block.kind, tree->root())) return TP_E_INVALID;
  if (block.kind != TP_JSON) tool::drop_host_meta(tree->root());
  compact_.clear();
  json::write(tree->root(), compact_);
  block.bytes = compact_;
  return TP_OK;
}

tp_status PushCheck::check(std::uint32_t kind, std::string_view mime, std::string_view bytes,
                           Block& block) {
  const tp_status status = check_push(kind, mime, bytes, block);
  if (status == TP_OK || makes_ != Makes::Answer) return status;
  breach_ = status == TP_E_NOMEM
                ? "its answer is larger than " + std::to_string(limit_) + " bytes"
                : "its answer was refused: expected one TP_JSON, which is valid JSON in UTF-8";
  return status;
}

tp_status PushCheck::check_push(std::uint32_t kind, std::string_view mime, std::string_view bytes,
                                Block& block) {
  const tp_status shape = check_kind(kind, mime, block);
  if (shape != TP_OK) return shape;
  if (!fits(bytes.size()) || !has_room_for(block)) return TP_E_NOMEM;
  block.bytes = bytes;
  if (block.kind == TP_TEXT && !is_utf8(bytes)) return TP_E_INVALID;
  const bool is_json = block.kind != TP_TEXT && block.kind != TP_BLOB;
  if (is_json && check_json(block) != TP_OK) return TP_E_INVALID;
  const std::size_t size = std::max(bytes.size(), block.bytes.size());  // 1e20 gets longer
  if (!fits(size)) return TP_E_NOMEM;
  taken_ += size;
  if (block.partial) return TP_OK;
  if (open_kind_ == 0) {
    ++blocks_;
    added_ += added_by(block);
  }
  breach_.clear();
  open_kind_ = block.more ? block.kind : 0;
  has_json_ = has_json_ || block.kind == TP_JSON;
  return TP_OK;
}

// A plugin that does not look at the status has reported a failure all the same: its call must not
// be a success.
tp_status PushCheck::check_error(std::string_view message, std::string_view json_data,
                                 std::string& compact_data) {
  const tp_status status = check_error_texts(message, json_data, compact_data);
  if (status == TP_OK) {
    has_error_ = true;
    breach_.clear();
    error_breach_.clear();
  } else if (!has_error_) {
    error_breach_ = fault_of_error(status, message);
  }
  return status;
}

std::string PushCheck::fault_of_error(tp_status status, std::string_view message) const {
  const std::string failed = "the plugin reported a failure, but the host refused its error: ";
  if (status == TP_E_NOMEM) {
    return failed + "it is larger than " + std::to_string(limit_) + " bytes, or its data than " +
           std::to_string(kMostErrorDataBytes) + " bytes";
  }
  return failed + (is_utf8(message) ? "its data is not valid JSON" : "its message is not UTF-8");
}

tp_status PushCheck::check_error_texts(std::string_view message, std::string_view json_data,
                                       std::string& compact_data) {
  compact_data.clear();
  if (json_data.size() > kMostErrorDataBytes) return TP_E_NOMEM;
  if (!fits(message.size() + json_data.size())) return TP_E_NOMEM;
  if (!is_utf8(message)) return TP_E_INVALID;
  if (!json_data.empty()) {
    const auto tree = json::parse(json_data);
    if (!tree) return TP_E_INVALID;
    json::write(tree->root(), compact_data);
  }
  if (compact_data.size() > kMostErrorDataBytes) return TP_E_NOMEM;  // 1e20 gets longer
  const std::size_t size = message.size() + std::max(json_data.size(), compact_data.size());
  if (!fits(size)) return TP_E_NOMEM;
  taken_ += size;
  return TP_OK;
}

}  // namespace host::plugin
