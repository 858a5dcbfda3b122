#include "builtin/skill_offer.h"

#include "base/text/encoding.h"
#include "json/json.h"
#include "skill/media_type.h"
#include "skill/uri.h"

namespace host::builtin {
namespace {

void append_member(std::string_view key, std::string_view text, std::string& out) {
  out += out.back() == '{' ? "\"" : ",\"";
  out += key;
  out += "\":";
  json::write_string(text, out);
}

}  // namespace

tool::Offer offer_of(const std::vector<std::shared_ptr<const skill::Skill>>& skills) {
  tool::Offer offer;
  if (skills.empty()) return offer;
  for (const auto& skill : skills) {
    tool::Resource resource;
    resource.uri = skill::uri_of(skill->name, skill::kSkillFile);
    resource.name = skill->name;
    resource.description = skill->description;
    resource.mime_type = "text/markdown";
    offer.resources.push_back(std::move(resource));

    tool::Prompt prompt;
    prompt.name = skill->name;
    prompt.description = skill->description;
    offer.prompts.push_back(std::move(prompt));
  }
  tool::Resource files;
  files.uri = "skill://{skill}/{+path}";
  files.name = "skill-file";
  files.title = "A file of a skill";
  files.description = "A file that a skill's SKILL.md refers to, by its path in the skill's folder";
  offer.templates.push_back(std::move(files));
  return offer;
}

Result<tool::CallResult> read_resource(skill::Catalog& catalog, std::string_view uri) {
  const Error unknown{ErrorKind::NotFound, "no such resource"};
  const auto named = skill::parse_uri(uri);
  const auto skill = named ? catalog.find(named->skill) : nullptr;
  if (!skill || named->path.empty()) return unknown;
  const bool main = named->path == skill::kSkillFile;
  Result<std::string> read =
      main ? Result<std::string>(skill->text) : catalog.read(*skill, named->path);
  if (!read) return unknown;

  const bool text = skill::is_text(*read);
  std::string item = R"({"contents":[{)";
  append_member("uri", uri, item);
  append_member("mimeType", skill::media_type(named->path, text), item);
  if (text) {
    append_member("text", *read, item);
  } else {
    item += R"(,"blob":")";
    base64(*read, item);
    item += '"';
  }
  tool::CallResult result;
  result.structured = item + "}]}";
  return result;
}

Result<tool::CallResult> prompt_of(const skill::Skill& skill, const tool::CallResult& whole) {
  HOST_TRY_ASSIGN(const json::Document blocks, json::parse("[" + whole.content + "]"));
  std::string text = "{";
  append_member("description", skill.description, text);
  text += R"(,"messages":[)";
  for (const json::Value& block : blocks.root().GetArray()) {
    if (text.back() != '[') text += ',';
    text += R"({"role":"user","content":)" + json::write(block) + "}";
  }
  tool::CallResult result;
  result.structured = text + "]}";
  return result;
}

}  // namespace host::builtin
