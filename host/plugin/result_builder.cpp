#include "plugin/result_builder.h"

#include "base/encoding.h"
#include "json/json.h"

namespace host::plugin {
namespace {

std::string error_meta(std::int32_t code, std::string_view data) {
  return R"("io.toolpost/error":{"code":)" + std::to_string(code) + R"(,"data":)" +
         std::string(data) + "}";
}

}  // namespace

tp_status ResultBuilder::push(std::uint32_t kind, std::string_view mime, std::string_view bytes,
                              std::string& partial) {
  Block block;
  const tp_status status = check_.check(kind, mime, bytes, block);
  if (status != TP_OK) return status;
  if (block.partial) {
    partial.assign(block.bytes);
    return TP_OK;
  }
  switch (block.kind) {
    case TP_JSON:
      result_.structured = block.bytes;
      return TP_OK;
    case TP_CONTENT:
      result_.add_block(block.bytes);
      return TP_OK;
    case TP_RESOURCE_LINK: {
      // The type goes in front, whatever the object said of it.
      auto link = json::parse(block.bytes);
      if (!link) return TP_E_INVALID;
      json::set(link->root(), "type", json::string("resource_link", link->allocator()),
                link->allocator());
      result_.add_block(json::write(link->root()));
      return TP_OK;
    }
    default:
      break;
  }
  if (open_kind_ == 0 && block.kind == TP_TEXT && !block.more) {
    result_.add_text(block.bytes);
    return TP_OK;
  }
  if (open_kind_ == 0) open_mime_ = block.mime;  // the first piece tells
  open_kind_ = block.kind;
  open_.append(block.bytes);
  if (!block.more) close_block();
  return TP_OK;
}

void ResultBuilder::close_block() {
  if (open_kind_ == TP_TEXT) result_.add_text(open_);
  if (open_kind_ == TP_BLOB) add_blob();
  open_kind_ = 0;
  open_.clear();
}

void ResultBuilder::add_blob() {
  const bool image = open_mime_.starts_with("image/");
  const bool audio = open_mime_.starts_with("audio/");
  std::string block;
  if (image || audio) {
    block = image ? R"({"type":"image","mimeType":)" : R"({"type":"audio","mimeType":)";
    json::write_string(open_mime_, block);
    block += R"(,"data":")";
    base64(open_, block);
    block += R"("})";
  } else {
    block = R"({"type":"resource","resource":{"uri":)";
    json::write_string("toolpost://call/" + call_id_ + "/" + std::to_string(++blobs_), block);
    block += R"(,"mimeType":)";
    json::write_string(open_mime_, block);
    block += R"(,"blob":")";
    base64(open_, block);
    block += R"("}})";
  }
  result_.add_block(block);
}

tp_status ResultBuilder::error(std::int32_t code, std::string_view message,
                               std::string_view json_data) {
  std::string data;
  const tp_status status = check_.check_error(message, json_data, data);
  if (status != TP_OK) return status;
  failed_ = true;
  error_ = message;
  result_.meta = data.empty() ? std::string() : error_meta(code, data);
  return TP_OK;
}

Result<tool::CallResult> ResultBuilder::finish(tp_status status, tool::Function function,
                                               std::string_view tool) {
  close_block();
  if (function != tool::Function::Call) {
    if (status == TP_OK && !failed_ && !result_.structured.empty()) return std::move(result_);
    return Error{ErrorKind::PluginFault, "tool \"" + std::string(tool) +
                                             "\": its check function gave no answer (status " +
                                             std::to_string(status) + ")"};
  }
  if (failed_) {
    result_.add_text(error_.empty() ? "the tool failed and did not say why" : error_);
    result_.is_error = true;
    return std::move(result_);
  }
  if (status != TP_OK) return failure(status, tool);
  if (!result_.content.empty()) return std::move(result_);
  if (result_.structured.empty()) {
    return tool::CallResult::error("tool \"" + std::string(tool) + "\" ended without a result");
  }
  result_.add_text(result_.structured);
  return std::move(result_);
}

tool::CallResult ResultBuilder::too_large(const std::string& tool) const {
  return tool::CallResult::error("the result of " + tool + " is larger than " +
                                 std::to_string(check_.limit()) + " bytes: ask for less");
}

// A status without a word from the plugin. What the model can act on is a result; the rest is an
// error of its own kind.
Result<tool::CallResult> ResultBuilder::failure(tp_status status, std::string_view tool) {
  const std::string name = "tool \"" + std::string(tool) + "\"";
  switch (status) {
    case TP_E_INVALID:
      return tool::CallResult::error(name + " cannot use these arguments and did not say why");
    case TP_E_UNSUPPORTED:
      return tool::CallResult::error(name + " does not support what was asked");
    case TP_E_DENIED:
      return tool::CallResult::error(name + " was not permitted to do that");
    case TP_E_CANCELLED:
      return Error{ErrorKind::Cancelled, name + " was cancelled"};
    case TP_E_DEADLINE:
      return Error{ErrorKind::DeadlineExceeded, name + " ran out of time"};
    case TP_E_BUSY:
      return Error{ErrorKind::Unavailable, name + " is busy: try again later"};
    case TP_E_NOMEM:
      if (check_.over_limit()) return too_large(name);
      return Error{ErrorKind::Unavailable, name + " ran out of memory"};
    case kResultTooLarge:
      return too_large(name);
    case TP_E_INTERNAL:
      return Error{ErrorKind::PluginFault, name + " failed by its own fault"};
    default:
      return Error{ErrorKind::PluginFault, name + " ended with status " + std::to_string(status) +
                                               ", which has no meaning"};
  }
}

}  // namespace host::plugin
