#include "skill/catalog.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/digest.h"

namespace host::skill {
namespace {

std::string fingerprint_of(const State& state) {
  Sha256Stream stream;
  for (const auto& skill : state.skills) {
    stream.add(skill->source + '\0' + skill->folder + '\0' + skill->name + '\0' + skill->digest +
               '\0');
  }
  for (const config::Diagnostic& fault : state.diagnostics) stream.add(fault.headline());
  return to_hex(stream.finish());
}

// Of .../FOLDER/SKILL.md or .../FOLDER.
std::string folder_of(const config::Diagnostic& fault) {
  const std::filesystem::path file(fault.file);
  return (file.filename() == kSkillFile ? file.parent_path() : file).filename().string();
}

// A skill whose name could not be read has that of its folder.
std::string skill_of(const config::Diagnostic& fault, const Listing& listing) {
  std::string folder = folder_of(fault);
  const auto found = listing.names.find(folder);
  return found == listing.names.end() ? folder : found->second;
}

// Within one repository, a new folder does not take over the name of a skill whose folder has the
// name too.
bool keeps_its_name(const Skill& known, const Skill& later) {
  return known.source == later.source && known.folder == known.name;
}

}  // namespace

std::string repository_of_plugin(std::string_view plugin) {
  return "plugin:" + std::string(plugin);
}

Catalog::Catalog(std::shared_ptr<Repositories> repositories, Options options)
    : repositories_(std::move(repositories)),
      options_(std::move(options)),
      follower_(repositories_->follow([this] { update(); })) {
  rebuild();
  fingerprint_ = fingerprint_of(state_);
}

Catalog::Catalog(std::vector<std::unique_ptr<SkillRepository>> repositories, Options options)
    : Catalog(std::make_shared<Repositories>(std::move(repositories)), std::move(options)) {}

const State& Catalog::state() {
  repositories_->refresh();
  update();
  return state_;
}

// A listener of another catalog may have asked this one before it was told.
void Catalog::update() {
  if (made_from_ == repositories_->version()) return;
  rebuild();
  std::string now = fingerprint_of(state_);
  if (now == fingerprint_) return;
  fingerprint_ = std::move(now);
  for (const auto& listener : listeners_) listener();
}

bool Catalog::is_wanted(const std::string& name) const {
  return !options_.only || options_.only->contains(name);
}

bool Catalog::shows(const std::string& name) const {
  return is_wanted(name) && !options_.hidden.contains(name);
}

bool Catalog::reads(const Repositories::Entry& entry) const {
  const std::vector<std::string>& plugins = entry.plugins;
  if (options_.plugins && !plugins.empty() &&
      std::none_of(plugins.begin(), plugins.end(), [this](const std::string& plugin) {
        return options_.plugins->contains(plugin);
      })) {
    return false;
  }
  if (!options_.repositories) return true;
  return options_.repositories->contains(entry.repository->source()) ||
         std::any_of(plugins.begin(), plugins.end(), [this](const std::string& plugin) {
           return options_.repositories->contains(repository_of_plugin(plugin));
         });
}

void Catalog::rebuild() {
  made_from_ = repositories_->version();
  State state;
  std::map<std::string, std::shared_ptr<const Skill>, std::less<>> by_name;
  for (const Repositories::Entry& entry : repositories_->entries()) {
    if (!reads(entry)) continue;
    const Listing& listing = entry.listing;
    // Most plugins have no such folder.
    if (entry.plugins.empty() || !listing.skills.empty() || !listing.diagnostics.empty())
      state.sources.push_back({entry.repository->source(), entry.plugins, listing.skills.size()});
    for (const config::Diagnostic& fault : listing.diagnostics) {
      if (options_.all_faults || shows(skill_of(fault, listing)))
        state.diagnostics.push_back(fault);
    }
    for (const auto& skill : listing.skills) {
      auto& place = by_name[skill->name];
      if (place && keeps_its_name(*place, *skill)) {
        state.shadowed.push_back({skill, nullptr});
        continue;
      }
      if (place) state.shadowed.push_back({place, nullptr});
      place = skill;
    }
  }
  for (Shadowed& shadowed : state.shadowed) shadowed.by = by_name[shadowed.skill->name];
  for (const auto& [name, skill] : by_name) {
    if (is_wanted(name)) (shows(name) ? state.skills : state.hidden).push_back(skill);
  }
  state_ = std::move(state);
}

std::shared_ptr<const Skill> Catalog::find(std::string_view name) {
  const auto& skills = state().skills;
  const auto found = std::lower_bound(
      skills.begin(), skills.end(), name,
      [](const auto& skill, std::string_view wanted) { return skill->name < wanted; });
  return found != skills.end() && (*found)->name == name ? *found : nullptr;
}

}  // namespace host::skill
