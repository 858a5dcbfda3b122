#include "webhook/registration.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "json/fault.h"
#include "webhook/event.h"
#include "webhook/signature.h"

namespace host::webhook {
namespace {

using store::Store;
using store::WebhookCovers;
using store::WebhookRecord;

constexpr std::string_view kNotConfigured = "it is not in config.toml any more";

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
    if (now.principal != record.principal)
      return Error{ErrorKind::Denied, "its events are those of another principal"};
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
    now.old_secrets = record.old_secrets;
    return {};
  };
  const auto changed = store.webhooks().change(record.id, take);
  if (changed && *changed) return {};
  if (!changed && changed.error().kind != ErrorKind::Denied) return changed.error();
  if (!changed) {  // or its secret cannot be read
    log::warning("webhook", "the waiting events of a webhook in config.toml are dropped",
                 {{"webhook", record.id}, {"reason", changed.error().message}});
    HOST_TRY(store.webhooks().remove(record.id));
  }
  WebhookRecord made = record;
  made.made_by = made_by_config({file});
  HOST_TRY_ASSIGN(const auto added, store.webhooks().add(made));
  if (added != store::WebhookStore::Added::Full) return {};
  return Error{ErrorKind::Unavailable, "webhook \"" + record.id +
                                           "\" is one too many: limits.webhooks or "
                                           "limits.webhooks_per_principal is reached"};
}

Error too_many_old(const WebhookRecord& record) {
  const auto first =
      std::min_element(record.old_secrets.begin(), record.old_secrets.end(),
                       [](const auto& one, const auto& other) { return one.until < other.until; });
  return json::fault_at(
      "/old_secret_lasts_s",
      "must be 0, which ends all replaced secrets immediately, because " +
          std::to_string(kMostOldSecrets) +
          " replaced secrets of this webhook are still valid. You can also wait until " +
          to_rfc3339(first->until) + ", when the first of them ends");
}

// Receivers can have any of the replaced secrets, so each one signs until its own time is over. A
// client that has not seen the answer of its request can therefore repeat the request.
Result<void> rotate(const std::string& secret, WallTime now, std::chrono::milliseconds lasts,
                    WebhookRecord& record) {
  auto& old = record.old_secrets;
  std::erase_if(old, [&](const auto& one) { return one.until <= now || one.secret == secret; });
  if (lasts.count() == 0) old.clear();
  if (secret == record.secret) return {};
  if (lasts.count() > 0) {
    if (old.size() >= kMostOldSecrets) return too_many_old(record);
    old.push_back({record.secret, now + lasts});
  }
  record.secret = secret;
  return {};
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
  static_cast<void>(apply(wanted, now, record));  // it has no replaced secrets, so this succeeds
  record.old_secrets.clear();                     // nobody knows the secret that was made above
  return record;
}

std::vector<std::string> secrets_at(WallTime now, const WebhookRecord& record) {
  std::vector<std::string> secrets(1, record.secret);
  for (const auto& old : record.old_secrets) {
    if (now < old.until) secrets.push_back(old.secret);
  }
  return secrets;
}

WallTime old_secrets_end(const WebhookRecord& record) {
  WallTime end{};
  for (const auto& old : record.old_secrets) end = std::max(end, old.until);
  return end;
}

Result<void> apply(const Wanted& wanted, WallTime now, WebhookRecord& record) {
  record.changed = now;
  if (wanted.url) record.url = *wanted.url;
  if (wanted.description) record.description = *wanted.description;
  if (wanted.events) record.events = *wanted.events;
  if (wanted.covers) record.covers = *wanted.covers;
  if (wanted.enabled) {
    record.enabled = *wanted.enabled;
    record.reason.clear();
  }
  return wanted.secret ? rotate(*wanted.secret, now, wanted.old_secret_lasts, record)
                       : Result<void>();
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
