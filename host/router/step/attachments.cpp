#include "router/step/attachments.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "file/names.h"
#include "tool/definition/declared_text.h"
#include "tool/provider/provider.h"

namespace host::router {
namespace {

using tool::Attachment;

constexpr std::string_view kAttachments = "attachments";
constexpr std::size_t kMostIdBytes = 128;

bool is_file_id(std::string_view id) {
  return !id.empty() && id.size() <= kMostIdBytes && std::all_of(id.begin(), id.end(), [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// `why` is filled if the entry is not valid. It begins with a JSON Pointer below the entry.
Attachment attachment_of(const json::Value& entry, std::string& why) {
  Attachment made;
  if (!entry.IsObject()) {
    why = ": must be an object with file_id";
    return made;
  }
  for (const auto& member : entry.GetObject()) {
    const std::string_view name = json::text(member.name);
    const std::string_view text = json::text(member.value);
    if (name == "file_id") {
      made.id = text;
    } else if (name != "filename" && name != "content_type") {
      why = ": unknown member " + tool::quoted_name(name);
    } else if (member.value.IsNull()) {
      continue;
    } else if (name == "filename") {
      made.name = text;
      if (!file::is_file_name(text)) why = "/filename: must be " + std::string(file::kFileNameForm);
    } else {
      made.content_type = text;
      if (!file::is_content_type(text))
        why = "/content_type: must be " + std::string(file::kContentTypeForm);
    }
  }
  if (why.empty() && !is_file_id(made.id))
    why = "/file_id: must be an id of POST /v1/files/presign-upload";
  return made;
}

bool has_id(const std::vector<Attachment>& all, const std::string& id) {
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.id == id; });
}

// Empty: the tool can get them.
std::string why_not(const tool::Route& route) {
  const tool::ProviderIdentity& identity = route.provider->identity();
  if (identity.is_plugin() && !route.tool->declared().external) return {};
  const std::string_view who = identity.is_upstream() ? "an upstream server"
                               : identity.is_host()   ? "this host itself"
                                                      : "a client";
  return ": \"" + route.tool->name() + "\" is executed by " + std::string(who) +
         ", which gets no attachments";
}

}  // namespace

std::optional<tool::CallResult> AttachmentStep::take(tool::Call& call,
                                                     const tool::Route& route) const {
  json::Value& arguments = call.arguments.root();
  if (!arguments.IsObject() || route.tool->declares_argument(kAttachments)) return std::nullopt;
  const json::Value* const member = json::find(arguments, kAttachments);
  if (!member) return std::nullopt;
  const auto wrong = [&](const std::string& why) {
    call.outcome = tool::kBadArguments;
    return tool::CallResult::error("Invalid arguments for \"" + route.tool->name() +
                                   "\":\n/attachments" + why + "\nCorrect them and call again.");
  };
  if (!member->IsNull() && !member->IsArray()) return wrong(": must be an array");
  std::vector<Attachment> all;
  if (call.passport->given) all = call.passport->given->attachments;  // of the outer call
  std::vector<Attachment> named;
  if (member->IsArray()) {
    for (const json::Value& entry : member->GetArray()) {
      std::string why;
      Attachment made = attachment_of(entry, why);
      const std::string at = "/" + std::to_string(named.size());
      if (!why.empty()) return wrong(at + why);
      if (has_id(named, made.id)) return wrong(at + "/file_id: the same file twice");
      named.push_back(std::move(made));
      if (named.size() > most_) {
        return wrong(": at most " + std::to_string(most_) + " files (limits.attachments_per_call)");
      }
    }
  }
  if (!named.empty()) {
    if (const std::string why = why_not(route); !why.empty()) return wrong(why);
    if (!files_) return wrong(": this host keeps no files, because store.file is empty");
  }
  for (Attachment& one : named) {
    if (!has_id(all, one.id)) all.push_back(std::move(one));
  }
  arguments.RemoveMember(
      json::Value(rapidjson::StringRef(kAttachments.data(), kAttachments.size())));
  if (!named.empty()) call.passport = tool::with_attachments(*call.passport, std::move(all));
  return std::nullopt;
}

boost::asio::awaitable<Result<std::optional<tool::CallResult>>> AttachmentStep::resolve(
    tool::Call& call) const {
  const tool::CallContext* const given = call.passport->given.get();
  const bool complete =
      !given || std::all_of(given->attachments.begin(), given->attachments.end(),
                            [](const Attachment& one) { return one.file != nullptr; });
  if (complete) co_return std::nullopt;
  auto resolved = co_await files_->resolve(call);
  co_return resolved;
}

}  // namespace host::router
