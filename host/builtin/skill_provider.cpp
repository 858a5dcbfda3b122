#include "builtin/skill_provider.h"

#include <algorithm>
#include <utility>

#include "base/text/encoding.h"
#include "base/text/nearest.h"
#include "builtin/skill_offer.h"
#include "json/json.h"
#include "json/own_text.h"
#include "skill/catalogue_text.h"
#include "skill/media_type.h"
#include "skill/uri.h"
#include "tool/provider/own_tools.h"

namespace host::builtin {
namespace {

constexpr std::size_t kMostNamed = 200;  // skills or files that an answer lists

constexpr const char* kDescription =
    "Reads a skill: instructions for one kind of work, with files that they refer to. Gives the "
    "skill's whole "
    "SKILL.md and the list of its files; with `path`, one of these files.";

constexpr const char* kInputSchema =
    R"({"type":"object","properties":{)"
    R"("skill":{"type":"string","description":"Name of the skill"},)"
    R"("path":{"type":"string","description":"A file of the skill, relative to its )"
    R"(folder, like references/fields.md. Left out: SKILL.md and the list of files"}},)"
    R"("required":["skill"],"additionalProperties":false})";

// An embedded resource (MCP, tools/call): what is no text goes as base64.
std::string blob_block(const skill::Skill& skill, std::string_view path, std::string_view bytes) {
  std::string block = R"({"type":"resource","resource":{"uri":)";
  json::write_string(skill::uri_of(skill.name, path), block);
  block += R"(,"mimeType":)";
  json::write_string(skill::media_type(path, false), block);
  block += R"(,"blob":")";
  base64(bytes, block);
  return block + "\"}}";
}

std::string list_of(const skill::FileList& files) {
  std::string out;
  std::size_t left = kMostNamed;
  for (const skill::FileEntry& entry : files.files) {
    if (entry.path == skill::kSkillFile) continue;
    if (left-- == 0) return out + "- and more\n";
    out +=
        "- " + skill::harmless(entry.path, 1024) + " (" + std::to_string(entry.size) + " bytes)\n";
  }
  if (!files.complete) out += "- and more, beyond the bounds on depth and number\n";
  return out;
}

}  // namespace

SkillProvider::SkillProvider(skill::Catalog& catalog, std::uint32_t catalogue_bytes,
                             std::string build)
    : catalog_(catalog),
      catalogue_bytes_(catalogue_bytes),
      identity_{tool::ProviderIdentity::Kind::Host, "builtin", {}, std::move(build)} {
  declare();
  tell_edits();
  catalog_.on_change([this] {
    declare();
    tell_edits();
  });
}

void SkillProvider::tell_edits() {
  std::map<std::string, std::string> now;
  for (const auto& skill : catalog_.state().skills) now.emplace(skill->name, skill->digest);
  const std::map<std::string, std::string> before = std::exchange(digests_, std::move(now));
  for (const auto& [name, digest] : before) {
    const auto at = digests_.find(name);
    if (at == digests_.end() || at->second == digest) continue;
    for (const auto& listener : update_listeners_) listener(skill::uri_of(name, skill::kSkillFile));
  }
}

void SkillProvider::declare() {
  const auto& skills = catalog_.state().skills;
  std::string description = skills.empty() ? std::string() : kDescription;
  if (!skills.empty() && catalogue_bytes_ > 0)
    description += "\n\n" + catalogue_text(skills, catalogue_bytes_);
  tool::Offer offer = offer_of(skills);
  if (description == declared_ && offer == offer_) return;  // an edit further down in a SKILL.md
  declared_ = description;
  offer_ = std::move(offer);
  tools_.clear();
  if (!skills.empty()) {
    tool::Declaration declaration =
        tool::own_declaration("Skill", "Read a skill", std::move(description), kInputSchema);
    declaration.read_only = true;
    if (auto tool = tool::declare_own(std::move(declaration))) tools_.push_back(std::move(tool));
  }
  for (const auto& listener : listeners_) listener();
}

void SkillProvider::start(std::shared_ptr<tool::Invocation> invocation) {
  if (invocation->function == tool::Function::ReadResource) {
    invocation->finish(read_resource(catalog_, invocation->name));
    return;
  }
  const auto arguments = json::parse_own(invocation->arguments);
  if (!arguments || !arguments->root().IsObject()) {
    invocation->finish(Error{ErrorKind::InvalidArgument, "expected an object of arguments"});
    return;
  }
  auto read = answer(invocation->function, arguments->root());
  if (invocation->function == tool::Function::Call && finish_ && read && !read->is_error)
    return finish_(invocation, groups_of(arguments->root()), *std::move(read));
  invocation->finish(std::move(read));
}

// Of a skill that was read as a whole. A file of it activates nothing.
std::vector<std::string> SkillProvider::groups_of(const json::Value& arguments) {
  const std::string_view path = json::find_text(arguments, "path");
  const auto skill = catalog_.find(json::find_text(arguments, "skill"));
  if (!skill || (!path.empty() && path != skill::kSkillFile)) return {};
  return skill->groups();
}

Result<tool::CallResult> SkillProvider::answer(tool::Function function,
                                               const json::Value& arguments) {
  switch (function) {
    case tool::Function::Call:
      return read(json::find_text(arguments, "skill"), json::find_text(arguments, "path"));
    case tool::Function::GetPrompt: {
      const auto skill = catalog_.find(json::find_text(arguments, "name"));
      if (!skill) return Error{ErrorKind::NotFound, "no such prompt"};
      return prompt_of(*skill, whole(*skill));
    }
    default:
      return Error{ErrorKind::InvalidArgument, "Skill has no such function"};
  }
}

tool::CallResult SkillProvider::read(std::string_view skill_name, std::string_view path) {
  const auto skill = catalog_.find(skill_name);
  if (!skill) return unknown_skill(skill_name);
  return path.empty() ? whole(*skill) : file(*skill, std::string(path));
}

tool::CallResult SkillProvider::whole(const skill::Skill& skill) {
  tool::CallResult result = tool::CallResult::text(skill.text);
  const auto files = catalog_.files(skill);
  const std::string list = files ? list_of(*files) : std::string();
  result.add_text(list.empty() ? "Files of this skill: SKILL.md alone."
                               : "Files of this skill, each to be read with its `path`:\n" + list);
  return result;
}

tool::CallResult SkillProvider::file(const skill::Skill& skill, const std::string& path) {
  if (path == skill::kSkillFile) return tool::CallResult::text(skill.text);
  const auto bytes = catalog_.read(skill, path);
  if (!bytes) return bad_path(skill, path, bytes.error().message);
  if (skill::is_text(*bytes)) return tool::CallResult::text(*bytes);
  tool::CallResult result;
  result.add_block(blob_block(skill, path, *bytes));
  return result;
}

tool::CallResult SkillProvider::unknown_skill(std::string_view skill_name) {
  std::string text = "There is no skill \"" + skill::harmless(skill_name, 80) + "\".";
  const auto& skills = catalog_.state().skills;
  std::vector<std::string_view> names;
  for (const auto& skill : skills) names.push_back(skill->name);
  if (const std::string near = nearest(skill_name, names); !near.empty()) {
    text += " Did you mean \"" + skill::harmless(near, 80) + "\"?";
  }
  text += skills.empty() ? " There is none at all now." : " There is:\n";
  for (std::size_t i = 0; i < std::min(skills.size(), kMostNamed); ++i) {
    text += "- " + skill::harmless(skills[i]->name, 256) + ": " +
            skill::harmless(skills[i]->description, 200) + "\n";
  }
  if (skills.size() > kMostNamed)
    text += "- and " + std::to_string(skills.size() - kMostNamed) + " more\n";
  return tool::CallResult::error(text);
}

tool::CallResult SkillProvider::bad_path(const skill::Skill& skill, std::string_view path,
                                         const std::string& why) {
  std::string text = "\"" + skill::harmless(path, 200) + "\" of the skill \"" +
                     skill::harmless(skill.name, 256) + "\": " + why +
                     ". Its files are:\n- SKILL.md\n";
  if (const auto files = catalog_.files(skill)) text += list_of(*files);
  return tool::CallResult::error(text);
}

}  // namespace host::builtin
