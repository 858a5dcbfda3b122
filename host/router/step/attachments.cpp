#include "router/step/attachments.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "file/names.h"
#include "json/json.h"
#include "json/object_text.h"
#include "json/own_text.h"
#include "tool/definition/declared_text.h"
#include "tool/provider/provider.h"

namespace host::router {
namespace {

using boost::asio::awaitable;
using file::Files;
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
    why = "/file_id: must be an id of POST /v1/files/presign-upload, found " +
          tool::quoted_name(made.id);
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

// ---- files of results

constexpr std::string_view kUnknownType = "application/octet-stream";
constexpr std::string_view kFile = "io.toolpost/file";
// So that a saved file opens with the right program.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kEndings{{
    {"image/png", ".png"},
    {"image/jpeg", ".jpg"},
    {"image/gif", ".gif"},
    {"image/webp", ".webp"},
    {"audio/wav", ".wav"},
    {"audio/mpeg", ".mp3"},
    {"application/pdf", ".pdf"},
    {"application/zip", ".zip"},
}};

// One block of a result with a blob.
struct Blob {
  std::string_view base64;  // empty: the block has no blob
  std::string_view type;    // by the tool
  std::string_view uri;     // of an embedded resource
};

Blob blob_of(const json::Value& block) {
  const std::string_view type = json::find_text(block, "type");
  if (type == "image" || type == "audio")
    return {json::find_text(block, "data"), json::find_text(block, "mimeType"), {}};
  const json::Value* const resource = json::find(block, "resource");
  if (type != "resource" || !resource || !resource->IsObject()) return {};
  return {json::find_text(*resource, "blob"), json::find_text(*resource, "mimeType"),
          json::find_text(*resource, "uri")};
}

std::uint64_t bytes_in(std::string_view base64) {
  const std::uint64_t bytes = base64.size() / 4 * 3;
  return bytes - (base64.ends_with("==") ? 2 : base64.ends_with('=') ? 1 : 0);
}

std::string_view content_type(const Blob& blob) {
  return file::is_content_type(blob.type) ? blob.type : kUnknownType;
}

// The last part of the resource's URI, or the tool's name.
std::string name_of(const Blob& blob, const tool::Call& call) {
  const std::string_view last = blob.uri.substr(blob.uri.find_last_of('/') + 1);
  if (!blob.uri.empty() && file::is_file_name(last)) return std::string(last);
  std::string name = file::is_file_name(call.name) ? call.name : "result";
  for (const auto& [type, ending] : kEndings) {
    if (type == blob.type) name += ending;
  }
  return name;
}

// Members of `_meta`, without braces. The tool's own come first.
std::string meta_of(const json::Value& block, const Blob& blob, const Files::Linked& file) {
  std::string about = "{";
  json::add_text(about, "file_id", file.record.id);
  json::add_text(about, "expires", to_rfc3339(file.expires));
  json::add_text(about, "sha256", to_hex(file.record.digest));
  if (!blob.uri.empty()) json::add_text(about, "resource", blob.uri);
  std::string meta = "{";
  if (const json::Value* const own = json::find(block, "_meta"); own && own->IsObject()) {
    for (const auto& member : own->GetObject()) {
      if (json::text(member.name) != kFile)
        json::add_member(meta, json::text(member.name), json::write(member.value));
    }
  }
  json::add_member(meta, kFile, about + "}");
  return meta + "}";
}

std::string description_of(const Files::Linked& file) {
  return std::to_string(file.record.bytes) + " bytes, to be downloaded by " +
         to_rfc3339(file.expires);
}

std::string link_to(const json::Value& block, const Blob& blob, const Files::Linked& file) {
  std::string link = "{";
  json::add_text(link, "type", "resource_link");
  json::add_text(link, "uri", file.url);
  json::add_text(link, "name", file.record.name);
  json::add_text(link, "description", description_of(file));
  json::add_text(link, "mimeType", file.record.content_type);
  json::add_member(link, "size", std::to_string(file.record.bytes));
  if (const json::Value* const annotations = json::find(block, "annotations"))
    json::add_member(link, "annotations", json::write(*annotations));
  json::add_member(link, "_meta", meta_of(block, blob, file));
  return link + "}";
}

Result<json::Document> parse_blocks(const std::string& content) {
  return json::parse_own("[" + content + "]");
}

// Spares most results the parse.
bool may_have_larger(const std::string& content, std::uint64_t bytes) {
  if (content.size() <= bytes) return false;
  return content.find("\"data\"") != std::string::npos ||
         content.find("\"blob\"") != std::string::npos;
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

bool AttachmentStep::has_unresolved(const tool::Call& call) {
  const tool::CallContext* const given = call.passport->given.get();
  return given &&
         std::any_of(given->attachments.begin(), given->attachments.end(),
                     [](const Attachment& one) { return !one.file && one.sha256.empty(); });
}

bool AttachmentStep::has_closed(const tool::Call& call) {
  const tool::CallContext* const given = call.passport->given.get();
  return given && std::any_of(given->attachments.begin(), given->attachments.end(),
                              [](const Attachment& one) { return one.file == nullptr; });
}

boost::asio::awaitable<Result<std::optional<tool::CallResult>>> AttachmentStep::resolve(
    tool::Call& call) const {
  if (!has_unresolved(call)) co_return std::nullopt;
  auto resolved = co_await files_->resolve(call);
  co_return resolved;
}

boost::asio::awaitable<Result<std::optional<tool::CallResult>>> AttachmentStep::open(
    tool::Call& call) const {
  if (!has_closed(call)) co_return std::nullopt;
  auto opened = co_await files_->open_attached(call);
  co_return opened;
}

void AttachmentStep::close(tool::Call& call) {
  std::vector<Attachment> all = call.passport->given->attachments;
  for (Attachment& one : all) {
    if (!one.sha256.empty()) one.file = nullptr;
  }
  call.passport = tool::with_attachments(*call.passport, std::move(all));
}

bool ResultFiles::may_link(const tool::Call& call, const tool::CallResult& result) const {
  const bool is_for_client = call.passport->origin == tool::Origin::Peer && !result.round;
  return files_ && files_->has_urls() && is_for_client &&
         may_have_larger(result.content, inline_bytes_);
}

awaitable<tool::CallResult> ResultFiles::link(const tool::Call& call,
                                              tool::CallResult result) const {
  if (!may_link(call, result)) co_return result;
  const auto tree = parse_blocks(result.content);
  if (!tree) co_return result;
  tool::CallResult linked = result;
  linked.content.clear();
  for (const json::Value& block : tree->root().GetArray()) {
    const Blob blob = blob_of(block);
    if (bytes_in(blob.base64) <= inline_bytes_) {
      linked.add_block(json::write(block));
      continue;
    }
    const auto file = co_await files_->keep(call, name_of(blob, call),
                                            std::string(content_type(blob)), blob.base64);
    if (!file) {
      log::warning("router", "a blob stays in its result, because it cannot be stored as a file",
                   {{"call", call.passport->call}, {"reason", file.error().message}});
      linked.add_block(json::write(block));
      continue;
    }
    linked.add_block(link_to(block, blob, *file));
  }
  co_return linked;
}

// Only the host writes such members of `_meta`, so the link is the host's.
awaitable<void> ResultFiles::renew_block(const tool::Call& call, json::Document& tree,
                                         json::Value& block) const {
  json::Value* const meta = json::find(block, "_meta");
  json::Value* const about = meta && meta->IsObject() ? json::find(*meta, kFile) : nullptr;
  const std::string id(about ? json::find_text(*about, "file_id") : std::string_view());
  if (id.empty()) co_return;
  auto found = co_await files_->find(call.passport->who.principal, id);
  if (!found) co_return;  // the store fails: the old URL may still be valid
  auto& pool = tree.allocator();
  if (!*found) {
    const std::string name(json::find_text(block, "name"));
    block.SetObject();
    json::set(block, "type", json::string("text", pool), pool);
    json::set(block, "text",
              json::string("The file \"" + name + "\" (" + id +
                               ") of this result has expired or was deleted.",
                           pool),
              pool);
    co_return;
  }
  const Files::Linked file = files_->linked(call, *std::move(*found));
  json::set(block, "uri", json::string(file.url, pool), pool);
  json::set(block, "description", json::string(description_of(file), pool), pool);
  json::set(*about, "expires", json::string(to_rfc3339(file.expires), pool), pool);
}

awaitable<tool::CallResult> ResultFiles::renew(const tool::Call& call,
                                               tool::CallResult result) const {
  if (!files_ || !files_->has_urls() || result.content.find(kFile) == std::string::npos)
    co_return result;
  auto tree = parse_blocks(result.content);
  if (!tree) co_return result;
  result.content.clear();
  for (json::Value& block : tree->root().GetArray()) {
    co_await renew_block(call, *tree, block);
    result.add_block(json::write(block));
  }
  co_return result;
}

}  // namespace host::router
