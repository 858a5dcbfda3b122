#include "protocol/content.h"

#include "json/json.h"

namespace host::protocol {
namespace {

// A text cannot hold this unless it is quoted there, so that its absence saves the parse.
bool mentions(const std::string& blocks, std::string_view kind) {
  return blocks.find(kind) != std::string::npos;
}

void append_text_block(std::string_view text, std::string& out) {
  out += R"({"type":"text","text":)";
  json::write_string(text, out);
  out += '}';
}

std::string link_in_words(const json::Value& block) {
  std::string words = "Resource: ";
  const std::string_view name = json::find_text(block, "name");
  if (!name.empty()) words += std::string(name) + " ";
  words += "<" + std::string(json::find_text(block, "uri")) + ">";
  const std::string_view description = json::find_text(block, "description");
  if (!description.empty()) words += " " + std::string(description);
  return words;
}

std::string audio_in_words(const json::Value& block) {
  return "[audio, " + std::string(json::find_text(block, "mimeType")) +
         ": this protocol version cannot carry it]";
}

}  // namespace

std::string content_for(const std::string& blocks, Version version) {
  const Features& known = features(version);
  const bool links = !known.resource_links && mentions(blocks, "resource_link");
  const bool audio = !known.audio && mentions(blocks, "audio");
  if (!links && !audio) return blocks;

  const auto tree = json::parse("[" + blocks + "]");
  if (!tree) return blocks;
  std::string out;
  for (const json::Value& block : tree->root().GetArray()) {
    if (!out.empty()) out += ',';
    const std::string_view type = json::find_text(block, "type");
    if (links && type == "resource_link")
      append_text_block(link_in_words(block), out);
    else if (audio && type == "audio")
      append_text_block(audio_in_words(block), out);
    else
      json::write(block, out);
  }
  return out;
}

}  // namespace host::protocol
