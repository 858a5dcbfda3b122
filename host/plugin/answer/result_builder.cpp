#include "plugin/answer/result_builder.h"

#include "base/text/encoding.h"
#include "json/json.h"

namespace host::plugin {
namespace {

using tool::Function;

std::string error_meta(std::int32_t code, std::string_view data) {
  return R"("io.toolpost/error":{"code":)" + std::to_string(code) + R"(,"data":)" +
         std::string(data) + "}";
}

bool may_ask(Function function) {
  return function == Function::Call || function == Function::ReadResource ||
         function == Function::GetPrompt;
}

std::string describe(Function function, std::string_view name) {
  const std::string quoted = " \"" + std::string(name) + "\"";
  switch (function) {
    case Function::ReadResource:
      return "resource" + quoted;
    case Function::GetPrompt:
      return "prompt" + quoted;
    case Function::Complete:
      return "the completion";
    case Function::ListResources:
      return "the list of resources";
    case Function::ListPrompts:
      return "the list of prompts";
    case Function::BeforeCall:
    case Function::EnterCall:
    case Function::CallMessage:
    case Function::LeaveCall:
      return "the interceptor of" + quoted;
    default:
      return "tool" + quoted;
  }
}

}  // namespace

void ResultBuilder::read_resource(std::string uri) {
  check_ = PushCheck(check_.limit(), Makes::Contents, uri);
  contents_ = std::make_unique<ResourceContents>(std::move(uri));
}

void ResultBuilder::read_answer() {
  check_ = PushCheck(check_.limit(), Makes::Answer);
}

tp_status ResultBuilder::push(std::uint32_t kind, std::string_view mime, std::string_view bytes,
                              std::string& partial) {
  Block block;
  const tp_status status = check_.check(kind, mime, bytes, block);
  if (status != TP_OK) return status;
  if (block.partial) {
    partial.assign(block.bytes);
    return TP_OK;
  }
  return push_block(block);
}

tp_status ResultBuilder::push_block(const Block& block) {
  switch (block.kind) {
    case TP_JSON:
      result_.structured = block.bytes;
      return TP_OK;
    case TP_CONTENT:
      if (contents_) {
        contents_->add_item(block.bytes);
      } else {
        result_.add_block(block.bytes);
      }
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
  if (open_kind_ == 0 && block.kind == TP_TEXT && !block.more && !contents_) {
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
  if (open_kind_ == 0) return;
  const bool text = open_kind_ == TP_TEXT;
  if (contents_) {
    text ? contents_->add_text(open_mime_, open_) : contents_->add_blob(open_mime_, open_);
  } else {
    text ? result_.add_text(open_) : add_blob();
  }
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
    json::write_string("toolpost://call/" + std::string(call_id_) + "/" + std::to_string(++blobs_),
                       block);
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

RoundBuilder& ResultBuilder::round() {
  if (!round_) round_ = std::make_unique<RoundBuilder>(abilities_);
  return *round_;
}

tp_status ResultBuilder::ask(std::string_view key, std::string_view method,
                             std::string_view params) {
  return round().ask(key, method, params);
}

tp_status ResultBuilder::keep(std::string_view state) {
  return round().keep(state);
}

Result<tool::CallResult> ResultBuilder::finish(tp_status status, Function function,
                                               std::string_view name) {
  close_block();
  // A plugin that does not look at the status would answer without the block.
  if (!failed_ && !check_.breach().empty()) {
    failed_ = true;
    error_ = check_.breach();
  }
  if (round_ && !failed_ && may_ask(function)) {
    if (auto open = unanswered(status)) return std::move(*open);
  }
  switch (function) {
    case Function::Call:
      return finish_call(status, name);
    case Function::CheckPermissions:
    case Function::MatchRule:
    case Function::GenerateSuggestions:
    case Function::CheckReadOnly:
      return finish_check(status, name);
    default:
      return finish_answer(status, function, name);
  }
}

// A call that has to know more before it can go on.
std::optional<tool::CallResult> ResultBuilder::unanswered(tp_status status) {
  tool::CallResult result;
  if (status == TP_OK && round_->asks()) {
    result.round = round_->take();
    return result;
  }
  if (status == TP_E_UNSUPPORTED && round_->lacking() != 0) {
    result.lacking = capabilities_text(round_->lacking());
    return result;
  }
  return std::nullopt;
}

Result<tool::CallResult> ResultBuilder::finish_call(tp_status status, std::string_view tool) {
  if (failed_ && status == TP_E_INTERNAL) {
    return Error{ErrorKind::Internal, describe(Function::Call, tool) + ": " + error_};
  }
  if (failed_) {
    result_.add_text(error_.empty() ? "the tool failed and did not say why" : error_);
    result_.is_error = true;
    return std::move(result_);
  }
  if (status != TP_OK) {
    // What the model can act on is a result; the rest is an error of its own kind.
    Error error = failure(status, describe(Function::Call, tool));
    const bool for_the_model =
        error.kind == ErrorKind::InvalidArgument || error.kind == ErrorKind::Denied;
    if (for_the_model) return tool::CallResult::error(error.message);
    return error;
  }
  if (!result_.content.empty()) return std::move(result_);
  if (result_.structured.empty()) {
    return tool::CallResult::error(describe(Function::Call, tool) + " " +
                                   std::string(kEndedWithoutResult));
  }
  result_.add_text(result_.structured);
  return std::move(result_);
}

Result<tool::CallResult> ResultBuilder::finish_check(tp_status status, std::string_view tool) {
  if (status == TP_OK && !failed_ && !result_.structured.empty()) return std::move(result_);
  return Error{ErrorKind::PluginFault, describe(Function::Call, tool) +
                                           ": its check function gave no answer (status " +
                                           std::to_string(status) + ")"};
}

Result<tool::CallResult> ResultBuilder::finish_answer(tp_status status, Function function,
                                                      std::string_view name) {
  const auto what = [&] { return describe(function, name); };
  if (failed_ && status == TP_E_INTERNAL) return Error{ErrorKind::Internal, what() + ": " + error_};
  if (failed_) {
    return Error{ErrorKind::InvalidArgument,
                 error_.empty() ? what() + " failed and did not say why" : error_};
  }
  if (status == TP_E_UNSUPPORTED && tool::is_interception(function)) {
    return Error{
        ErrorKind::PluginFault,
        what() + " used a service that no interceptor has, such as a question to the client"};
  }
  if (status == TP_E_UNSUPPORTED) return Error{ErrorKind::NotFound, "there is no " + what()};
  if (status != TP_OK) return failure(status, what());
  if (function == Function::ReadResource) {
    if (contents_ && !contents_->empty()) result_.structured = contents_->json();
  } else if (function == Function::GetPrompt) {
    const auto checked = check_prompt(result_.structured);
    if (!checked) return checked.error().within(what());
  } else if (function == Function::Complete) {
    const auto checked = check_completion(result_.structured);
    if (!checked) return checked.error().within(what());
  }
  if (result_.structured.empty() && !tool::is_interception(function))
    return Error{ErrorKind::PluginFault, what() + " came without content"};
  return std::move(result_);
}

// A status without a word from the plugin.
Error ResultBuilder::failure(tp_status status, const std::string& what) const {
  const auto too_large = [&] {
    return Error{ErrorKind::InvalidArgument,
                 "the result of " + what + " is larger than " + std::to_string(check_.limit()) +
                     " bytes, or has more than " + std::to_string(kMostBlocks) +
                     " blocks: ask for less"};
  };
  switch (status) {
    case TP_E_INVALID:
      return Error{ErrorKind::InvalidArgument,
                   what + " cannot use these arguments and did not say why"};
    case TP_E_UNSUPPORTED:
      return Error{ErrorKind::InvalidArgument, what + " does not support what was asked"};
    case TP_E_DENIED:
      return Error{ErrorKind::Denied, what + " was not permitted to do that"};
    case TP_E_CANCELLED:
      return Error{ErrorKind::Cancelled, what + " was cancelled"};
    case TP_E_DEADLINE:
      return Error{ErrorKind::DeadlineExceeded, what + " ran out of time"};
    case TP_E_BUSY:
      return Error{ErrorKind::Unavailable, what + " is busy: try again later"};
    case TP_E_NOMEM:
      if (check_.over_limit()) return too_large();
      return Error{ErrorKind::Unavailable, what + " ran out of memory"};
    case kResultTooLarge:
      return too_large();
    case TP_E_INTERNAL:
      return Error{ErrorKind::PluginFault, what + " failed by its own fault"};
    default:
      return Error{ErrorKind::PluginFault, what + " ended with status " + std::to_string(status) +
                                               ", which has no meaning"};
  }
}

}  // namespace host::plugin
