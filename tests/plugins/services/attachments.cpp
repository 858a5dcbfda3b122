// tp.attachments/1: what came along with the call, whole and in pieces. And blobs in results.
#include <optional>
#include <string>

#include "services.h"

namespace {

using toolpost::Attachment;
using toolpost::Context;

std::string list_attached(Context& call) {
  std::string told;
  for (const Attachment& one : call.attachments().list())
    told +=
        one.id + " " + one.name + " " + one.content_type + " " + std::to_string(one.bytes) + "|";
  return told;
}

std::string show_attached(Context& call) {
  std::string told;
  for (const Attachment& one : call.attachments().list())
    told += one.sha256.value_or("?") + " " + one.url.value_or("?") + "|";
  return told;
}

std::string read_attached(Context& call) {
  std::string all;
  for (const Attachment& one : call.attachments().list()) all += call.attachments().read(one);
  return all.size() > 100 ? std::to_string(all.size()) + " bytes" : all;
}

struct Piece {
  std::string id;
  std::uint64_t offset = 0;
  std::uint32_t most = 0;
  TOOLPOST_FIELDS(Piece, TOOLPOST_FIELD(id), TOOLPOST_FIELD(offset), TOOLPOST_FIELD(most))
};

std::string piece_attached(const Piece& args, Context& call) {
  return call.attachments().read(args.id, args.offset, args.most);
}

struct Drawing {
  std::uint64_t bytes = 0;
  std::optional<std::string> type;
  std::optional<std::string> uri;  // of an embedded resource
  TOOLPOST_FIELDS(Drawing, TOOLPOST_FIELD(bytes), TOOLPOST_FIELD(type), TOOLPOST_FIELD(uri))
};

// A text, a small blob and one of the wanted size: byte N of it is N modulo 251.
toolpost::Content draw(const Drawing& args) {
  std::string bytes(args.bytes, '\0');
  for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<char>(at % 251);
  toolpost::Content content;
  content.text("drawn").blob("image/png", "small");
  const std::string type = args.type.value_or("image/png");
  if (args.uri) {
    content.resource_blob(*args.uri, type, bytes);
  } else {
    content.blob(type, bytes);
  }
  return content;
}

}  // namespace

Services with_attachments(Services plugin) {
  return std::move(plugin)
      .tool("attached_list", "Lists what is attached", list_attached, {.read_only = true})
      .tool("attached_shown", "Shows digest and URL", show_attached, {.read_only = true})
      .tool("attached_read", "Reads what is attached", read_attached, {.read_only = true})
      .tool("attached_piece", "Reads a piece of it", piece_attached, {.read_only = true})
      .tool("draw", "Returns blobs", draw, {.read_only = true});
}
