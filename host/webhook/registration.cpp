#include "webhook/registration.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "webhook/event.h"
#include "webhook/signature.h"

namespace host::webhook {
namespace {

using store::Store;
using store::WebhookCovers;
using store::WebhookRecord;

constexpr std::string_view kNotConfigured = "it is not in config.toml any more";
// A secret that is newer is not signed with as the old one, see apply().
constexpr std::chrono::minutes kFreshSecret{1};

// The configuration files that have it, one in each line after the first one.
std::set<std::string> files_of(const WebhookRecord& record) {
  std::set<std::string> files;
  std::istringstream lines(record.made_by);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) files.insert(line);
  return files;
}

std::string made_by_config(const std::set<std::string>& files) {
  std::string made_by(kConfigured);
  for (const std::string& file : files) made_by += "\n" + file;
  return made_by;
}

bool is_there(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

// `file` has this webhook no more. It goes on if another host's file has it.
Result<void> leave(Store& store, const WebhookRecord& record, const std::string& file) {
  std::set<std::string> files = files_of(record);
  if (!files.empty() && !files.contains(file)) return {};
  files.erase(file);
  std::erase_if(files, [](const std::string& other) { return !is_there(other); });
  if (files.empty()) {
    log::warning("webhook", "a webhook is disabled, because config.toml does not have it any more",
                 {{"webhook", record.id}, {"waiting", std::to_string(record.waiting)}});
  }
  const auto change = [&files](WebhookRecord& now) -> Result<void> {
    now.made_by = made_by_config(files);
    if (!files.empty()) return {};
    now.enabled = false;
    now.reason = kNotConfigured;
    return {};
  };
  HOST_TRY(store.webhooks().change(record.id, change));
  return {};
}

// `file` has this webhook.
Result<void> take_over(Store& store, const WebhookRecord& record, const std::string& file) {
  const auto take = [&record, &file](WebhookRecord& now) -> Result<void> {
    std::set<std::string> files = files_of(now);
    files.insert(file);
    if (now.reason == kNotConfigured) {
      now.enabled = true;
      now.reason.clear();
    }
    now.made_by = made_by_config(files);
    now.principal = record.principal;
    now.url = record.url;
    now.description = record.description;
    now.events = record.events;
    now.covers = record.covers;
    now.secret = record.secret;
    now.old_secret = record.old_secret;
    now.old_until = record.old_until;
    return {};
  };
  const auto changed = store.webhooks().change(record.id, take);
  if (changed && *changed) return {};
  if (!changed && changed.error().kind != ErrorKind::Denied) return changed.error();
  if (!changed) HOST_TRY(store.webhooks().remove(record.id));  // its secret cannot be read
  WebhookRecord made = record;
  made.made_by = made_by_config({file});
  HOST_TRY_ASSIGN(const auto added, store.webhooks().add(made));
  if (added != store::WebhookStore::Added::Full) return {};
  return Error{ErrorKind::Unavailable, "webhook \"" + record.id +
                                           "\" is one too many: limits.webhooks or "
                                           "limits.webhooks_per_principal is reached"};
}

}  // namespace

identity::Scopes needed_for(const WebhookRecord& record) {
  identity::Scopes needed(identity::Scope::Call);
  if (record.covers == WebhookCovers::All) needed = needed.with(identity::Scope::Approve);
  for (const EventType& type : event_types()) {
    if ((record.events & bit(type.type)) != 0) needed = needed.with(type.needed);
  }
  return needed;
}

bool Owner::owns(const WebhookRecord& record) const {
  if (all) return true;
  const std::uint32_t needed = needed_for(record).bits();
  return record.principal == principal && (agent.empty() || record.agent == agent) &&
         (scopes.bits() & needed) == needed;
}

bool is_of_config(const WebhookRecord& record) {
  return shown_maker(record) == kConfigured;
}

std::string_view shown_maker(const WebhookRecord& record) {
  return std::string_view(record.made_by).substr(0, record.made_by.find('\n'));
}

bool is_configured(const WebhookRecord& record) {
  if (!is_of_config(record) || record.reason == kNotConfigured) return false;
  const std::set<std::string> files = files_of(record);
  return files.empty() || std::any_of(files.begin(), files.end(), &is_there);
}

WebhookRecord new_record(std::string principal, const Wanted& wanted, std::string made_by,
                         WallTime now) {
  WebhookRecord record;
  record.id = "wh_" + random_id();
  record.principal = std::move(principal);
  record.made_by = std::move(made_by);
  record.created = now;
  record.secret = make_secret();
  apply(wanted, now, record);
  record.old_secret.clear();
  record.old_until = WallTime{};
  return record;
}

void apply(const Wanted& wanted, WallTime now, WebhookRecord& record) {
  record.changed = now;
  if (wanted.url) record.url = *wanted.url;
  if (wanted.description) record.description = *wanted.description;
  if (wanted.events) record.events = *wanted.events;
  if (wanted.covers) record.covers = *wanted.covers;
  if (wanted.enabled) {
    record.enabled = *wanted.enabled;
    record.reason.clear();
  }
  if (wanted.secret && *wanted.secret != record.secret) {
    const bool overlaps = wanted.old_secret_lasts.count() > 0;
    // A client that repeats a request has not given the last secret to its receiver yet. The
    // repeated request has the same overlap, so its end says when the first one came.
    const auto age = now - (record.old_until - wanted.old_secret_lasts);
    const bool is_repeated = !record.old_secret.empty() && now < record.old_until &&
                             age >= age.zero() && age < kFreshSecret;
    if (!overlaps || !is_repeated) record.old_secret = overlaps ? record.secret : std::string();
    record.old_until = overlaps ? now + wanted.old_secret_lasts : WallTime{};
    record.secret = *wanted.secret;
  }
}

Result<void> configure(Store& store, const std::vector<WebhookRecord>& records,
                       const std::string& file) {
  return store.together([&]() -> Result<void> {
    HOST_TRY_ASSIGN(const std::vector<WebhookRecord> known, store.webhooks().list());
    for (const WebhookRecord& record : known) {
      const bool stays = std::any_of(records.begin(), records.end(),
                                     [&](const auto& one) { return one.id == record.id; });
      if (stays || !is_of_config(record) || record.reason == kNotConfigured) continue;
      HOST_TRY(leave(store, record, file));
    }
    for (const WebhookRecord& record : records) HOST_TRY(take_over(store, record, file));
    return {};
  });
}

}  // namespace host::webhook
