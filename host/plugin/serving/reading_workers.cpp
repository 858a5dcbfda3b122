#include "plugin/serving/reading_workers.h"

#include <algorithm>

#include "plugin/serving/grants.h"
#include "sandbox/landlock.h"

namespace host::plugin {
namespace {

bool some_read_only(const Offer& offer) {
  return std::any_of(offer.tools.begin(), offer.tools.end(), [](const auto& tool) {
    return tool->declared().read_only || tool->reads() != tool::Reads::Never;
  });
}

// Whether some calls run unasked because the host knows their command to read only.
bool some_read_by_command(const Offer& offer) {
  return std::any_of(offer.tools.begin(), offer.tools.end(), [](const auto& tool) {
    return !tool->declared().command_arg.empty() && tool->reads() != tool::Reads::Never;
  });
}

// Two workers would each have a part of it.
bool has_one_state(const Build& build, const config::Plugin& settings) {
  return build.manifest.has_state && settings.state != config::StateOnReload::Fresh;
}

}  // namespace

bool only_reads(const Manifest& manifest, const Offer& offer) {
  if (offer.tools.empty() && manifest.intercepts.any()) return false;
  return std::all_of(offer.tools.begin(), offer.tools.end(),
                     [](const auto& tool) { return tool->declared().read_only; });
}

std::optional<sandbox::Profile> reading_profile(const Build& build, const config::Plugin& settings,
                                                const Offer& offer,
                                                const std::vector<std::string>& programs) {
  const bool is_worker = settings.isolation == config::Isolation::Worker;
  if (!is_worker || build.reads_only || !some_read_only(offer)) return std::nullopt;
  const bool commands = build.profile.exec && some_read_by_command(offer);
  // Without Landlock `2>/dev/null` would fail there: no filter tells one file from another.
  const bool by_itself = commands && !has_one_state(build, settings) && sandbox::landlock_abi() > 0;
  if (!settings.split_read_only.value_or(by_itself)) return std::nullopt;
  return held_to_reading(build.profile, commands ? programs : std::vector<std::string>());
}

}  // namespace host::plugin
