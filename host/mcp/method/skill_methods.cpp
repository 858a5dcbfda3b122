#include "mcp/method/skill_methods.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "protocol/mcp.h"
#include "skill/media_type.h"
#include "skill/uri.h"

namespace host::mcp {
namespace {

constexpr std::size_t kMostSkillsOnAPage = 20;

// The skill and the path that params.uri names; nothing where it names none.
struct Named {
  std::shared_ptr<const skill::Skill> skill;
  std::string path;
};

std::optional<Named> named_by(const Request& request, skill::Catalog& skills) {
  const json::Value* const given = request.param("uri");
  const auto uri = given ? skill::parse_uri(json::text(*given)) : std::nullopt;
  auto skill = uri ? skills.find(uri->skill) : nullptr;
  if (!skill) return std::nullopt;
  return Named{std::move(skill), uri->path};
}

Reply unknown(const Request& request, std::string message) {
  const json::Value* const uri = request.param("uri");
  protocol::Fault fault{protocol::kInvalidParams, std::move(message), request.message.id, {}};
  if (uri && uri->IsString()) {
    fault.data = R"({"uri":)" + json::write(*uri) + "}";
  }
  return refuse(fault);
}

// What lies directly in a folder of a skill, by name.
struct Child {
  std::string name;
  bool folder = false;
  std::uint64_t size = 0;
};

std::vector<Child> children_of(const skill::Manifest& manifest, const std::string& folder) {
  const std::string prefix = folder.empty() ? std::string() : folder + "/";
  std::map<std::string, Child> found;
  for (const skill::ManifestFile& file : manifest.files) {
    if (!file.path.starts_with(prefix)) continue;
    const std::string rest = file.path.substr(prefix.size());
    const std::size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    const bool is_folder = slash != std::string::npos;
    found.emplace(name, Child{name, is_folder, is_folder ? 0 : file.size});
  }
  std::vector<Child> children;
  for (auto& [name, child] : found) children.push_back(std::move(child));
  return children;
}

void append_child(const Named& at, const Child& child, std::string& out) {
  const std::string path = at.path.empty() ? child.name : at.path + "/" + child.name;
  std::string entry = "{";
  protocol::append_string("uri", skill::uri_of(at.skill->name, path), entry);
  protocol::append_string("name", child.name, entry);
  if (child.folder) {
    protocol::append_string("mimeType", "inode/directory", entry);
  } else {
    // Without a look at its bytes: a name tells what kind of text it is, or that it is none.
    const bool text = skill::media_type(path, false) == "application/octet-stream";
    protocol::append_string("mimeType", skill::media_type(path, text), entry);
    entry += R"(,"size":)" + std::to_string(child.size);
  }
  out += entry + "}";
}

}  // namespace

SkillMethods::SkillMethods(const Services& services, const ServerInfos& infos)
    : services_(services),
      infos_(infos),
      of_host_(services.skills({})),
      pages_(std::min<std::size_t>(services.config.limits.page_size, kMostSkillsOnAPage)),
      entry_pages_(services.config.limits.page_size),
      manifests_(*of_host_) {}

void SkillMethods::append_skill(const skill::Skill& skill, std::string& out) {
  const skill::Manifest manifest = manifests_.of(skill);
  std::string entry = "{";
  protocol::append_string("uri", skill::uri_of(skill.name, skill::kSkillFile), entry);
  entry += R"(,"frontmatter":)" + skill.front_matter + R"(,"resources":)";
  if (manifest.complete) {
    entry += '[';
    for (const skill::ManifestFile& file : manifest.files) {
      if (entry.back() != '[') entry += ',';
      std::string resource = "{";
      protocol::append_string("uri", skill::uri_of(skill.name, file.path), resource);
      protocol::append_string("digest", "sha256:" + file.digest, resource);
      entry += resource + R"(,"size":)" + std::to_string(file.size) + "}";
    }
    entry += ']';
  } else {
    entry += R"("dynamic")";
  }
  out += entry + "}";
}

Reply SkillMethods::list(const Request& request) {
  const auto skills = services_.skills(request.who);
  const auto page = pages_.cut(
      request, skills->state().skills,
      [](const auto& skill) -> const std::string& { return skill->name; },
      [&](const auto& skill, std::string& out) { append_skill(*skill, out); });
  if (!page) return unknown_cursor(request.message.id);
  Reply reply;
  reply.text = protocol::list_answer(request.message.id, "skills", page->entries, page->next,
                                     request.version, infos_.of(request.version));
  return reply;
}

Reply SkillMethods::get(const Request& request) {
  const auto named = named_by(request, *services_.skills(request.who));
  if (!named || named->path != skill::kSkillFile) return unknown(request, "no skill has this URI");
  std::string entry;
  append_skill(*named->skill, entry);
  Reply reply;
  reply.text = protocol::member_answer(request.message.id, "skill", entry, request.version,
                                       infos_.of(request.version));
  return reply;
}

Reply SkillMethods::read_directory(const Request& request) {
  const auto named = named_by(request, *services_.skills(request.who));
  const auto children =
      named ? children_of(manifests_.of(*named->skill), named->path) : std::vector<Child>();
  if (children.empty()) return unknown(request, "no folder of a skill has this URI");
  const auto page = entry_pages_.cut(
      request, children, [](const Child& child) -> const std::string& { return child.name; },
      [&](const Child& child, std::string& out) { append_child(*named, child, out); });
  if (!page) return unknown_cursor(request.message.id);
  Reply reply;
  reply.text = protocol::list_answer(request.message.id, "resources", page->entries, page->next,
                                     request.version, infos_.of(request.version));
  return reply;
}

}  // namespace host::mcp
