// `toolpost webhooks`: receivers of events. It speaks to the store. `add` waits until the running
// hosts have read the new webhook; they notice other changes within a second. `test` sends from
// this process.
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <vector>

#include "app/core/webhook_settings.h"
#include "app/orders/webhook_orders.h"
#include "cli/access/open_store.h"
#include "cli/access/plugin_orders.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/noted.h"
#include "cli/output/standard_streams.h"
#include "cli/output/table.h"
#include "json/object_text.h"
#include "webhook/signature.h"
#include "webhook/webhook_json.h"
#include "webhook/webhooks.h"

namespace host::cli {
namespace {

using store::WebhookRecord;

constexpr const char* kNone = "no webhooks are stored";
constexpr std::chrono::seconds kHostsAnswerWithin{10};
constexpr std::uint32_t kMostDead = 10'000'000;  // the most that limits.webhook_dead can be

Error no_such(const std::string& id) {
  return {ErrorKind::NotFound, "there is no webhook \"" + id + "\": see `toolpost webhooks list`"};
}

void note_webhook(const config::Config& config, const WebhookRecord& record,
                  std::string_view outcome) {
  note(config, store::AuditEvent::Webhook,
       {{"id", record.id},
        {"url", webhook::shown_url(record.url)},
        {"by", who_answers()},
        {"outcome", outcome}});
}

std::string state_of(const WebhookRecord& record) {
  return record.enabled ? "enabled" : record.reason.empty() ? "disabled" : record.reason;
}

int list_webhooks(const CommandLine& line, const config::Config& config) {
  const auto store = look_into_store(config);
  if (!store) return complain(store.error());
  std::vector<WebhookRecord> all;
  if (*store) {
    auto found = (*store)->webhooks().list();
    if (!found) return complain(found.error());
    all = *std::move(found);
  }
  if (line.json) {
    std::string out = "[";
    for (const WebhookRecord& one : all) out += (out.size() > 1 ? "," : "") + webhook::as_json(one);
    std::cout << out << "]\n";
    return kExitOk;
  }
  Table table({"ID", "PRINCIPAL", "URL", "EVENTS", "WAITING", "DEAD", "STATE"});
  for (const WebhookRecord& one : all) {
    std::string events;
    for (const std::string& name : webhook::names_of(one.events))
      events += (events.empty() ? "" : ",") + name;
    table.add({one.id, one.principal, one.url, events, std::to_string(one.waiting),
               std::to_string(one.dead), state_of(one)});
  }
  std::cout << (all.empty() ? "There are no webhooks.\n" : table.text());
  return kExitOk;
}

Result<webhook::Wanted> wanted_of(const CommandLine& line, const config::Config& config) {
  webhook::Wanted wanted;
  const auto checked = webhook::check_url(line.url, outbound::AllowList(config.webhooks.loopback),
                                          outbound::AllowList(config.webhooks.internal));
  if (!checked) return checked.error().within("the URL");
  wanted.url = line.url;
  wanted.description = line.note;
  for (const std::string& name : line.events) {
    const webhook::EventType* const type = webhook::find_type(name);
    if (type && type->type != webhook::Type::Test) continue;
    return Error{ErrorKind::InvalidArgument,
                 "unknown event \"" + name + "\": the types are " + webhook::all_names()};
  }
  wanted.events = webhook::bits_of(line.events);
  wanted.covers = webhook::covers_from(line.covers);
  return wanted;
}

// A webhook is registered when no later event misses it. Only hosts that serve over HTTP send
// events.
void wait_for_hosts(store::Store& store) {
  auto hosts = running_hosts(store);
  std::vector<HostAnswer> answers;
  if (hosts) std::erase_if(*hosts, [](const auto& host) { return !serves_over_http(host); });
  if (hosts) answers = give_orders(store, *hosts, app::kWebhooksRead, {}, kHostsAnswerWithin);
  const auto warn = [](const std::string& why) {
    Line(std::cerr) << "toolpost: " << why << ". The webhook gets this host's events a second "
                    << "after the host can read the store";
  };
  if (!hosts) warn(hosts.error().message);
  for (const HostAnswer& one : answers) {
    if (!one.answer) warn(host_in_words(one.host) + ": " + one.answer.error().message);
  }
}

int add_webhook(const CommandLine& line, const config::Config& config) {
  const auto wanted = wanted_of(line, config);
  if (!wanted) return complain(wanted.error());
  const auto store = open_store(config, kNone);
  if (!store) return complain(store.error());
  const WebhookRecord record = webhook::new_record(
      line.principal.empty() ? "local" : line.principal, *wanted, "cli", system_clock().wall());
  const auto added = (*store)->webhooks().add(record);
  if (!added) return complain(added.error());
  if (*added == store::WebhookStore::Added::Full) {
    return complain(Error{ErrorKind::Unavailable,
                          "there are too many webhooks: limits.webhooks or "
                          "limits.webhooks_per_principal is reached"});
  }
  note_webhook(config, record, "added");
  set_lost_output("the webhook " + record.id +
                  " exists, and nobody has its secret: run `toolpost webhooks remove " + record.id +
                  "`");
  const std::string secret = webhook::secret_text(record.secret);
  if (line.json) {
    std::string out = webhook::as_json(record);
    out.pop_back();
    json::add_text(out, "secret", secret);
    std::cout << out << "}\n";
  } else {
    std::cout << record.id << " is registered. Its secret, which is shown only now:\n"
              << secret << '\n';
  }
  std::cout.flush();        // nobody else knows the secret, and somebody can end this command
  wait_for_hosts(**store);  // they send events to the webhook from then on
  return kExitOk;
}

int remove_webhook(const CommandLine& line, const config::Config& config) {
  const auto store = open_store(config, kNone);
  if (!store) return complain(store.error());
  const auto found = (*store)->webhooks().find(line.name);
  if (!found) return complain(found.error());
  if (!*found) return complain(no_such(line.name));
  if (webhook::is_configured(**found)) {
    return complain(
        Error{ErrorKind::Denied,
              "this webhook is from config.toml: remove it there, and restart the host"});
  }
  const auto removed = (*store)->webhooks().remove(line.name);
  if (!removed) return complain(removed.error());
  note_webhook(config, **found, "removed");
  std::cout << line.name << " is removed\n";
  return kExitOk;
}

// One signed event of the type webhook.test.
webhook::Answer send_test(const config::Config& config, const WebhookRecord& record) {
  boost::asio::io_context io;
  webhook::Answer answer;
  webhook::Sender sender(io.get_executor(), app::webhook_sender(config), system_clock());
  sender.send(webhook::test_message(record, system_clock().wall()),
              [&answer](webhook::Answer given) { answer = std::move(given); });
  io.run();
  return answer;
}

int test_webhook(const CommandLine& line, const config::Config& config) {
  const auto store = open_store(config, kNone);
  if (!store) return complain(store.error());
  const auto found = (*store)->webhooks().find(line.name);
  if (!found) return complain(found.error());
  if (!*found) return complain(no_such(line.name));
  const webhook::Answer answer = send_test(config, **found);
  if (!answer.is_accepted()) {
    return complain(
        Error{ErrorKind::Unavailable, "the receiver did not accept the event: " + answer.failure});
  }
  std::cout << "The receiver accepted the event: status " << answer.status << '\n';
  return kExitOk;
}

int list_dead(const CommandLine& line, const config::Config& config) {
  const auto store = open_store(config, kNone);
  if (!store) return complain(store.error());
  const auto found = (*store)->webhooks().find(line.name);
  if (!found) return complain(found.error());
  if (!*found) return complain(no_such(line.name));
  const auto dead = (*store)->webhooks().deliveries(line.name, true, "", kMostDead);
  if (!dead) return complain(dead.error());
  if (line.json) {
    std::string out = "[";
    for (const store::WebhookDelivery& one : *dead)
      out += (out.size() > 1 ? "," : "") + webhook::as_json(one);
    std::cout << out << "]\n";
    return kExitOk;
  }
  Table table({"EVENT", "TYPE", "DIED", "ATTEMPTS", "FAILURE"});
  for (const store::WebhookDelivery& one : *dead) {
    table.add({one.event, std::string(about(static_cast<webhook::Type>(one.type)).name),
               to_rfc3339(one.due), std::to_string(one.attempts), one.failure});
  }
  std::cout << (dead->empty() ? "There are no dead letters.\n" : table.text());
  return kExitOk;
}

int replay(const CommandLine& line, const config::Config& config) {
  const auto store = open_store(config, kNone);
  if (!store) return complain(store.error());
  const auto found = (*store)->webhooks().find(line.name);
  if (!found) return complain(found.error());
  if (!*found) return complain(no_such(line.name));
  if (!(*found)->enabled) {
    return complain(Error{ErrorKind::InvalidArgument,
                          "the webhook is disabled: enable it first, over REST or on the console"});
  }
  const auto count = (*store)->webhooks().replay(line.name, line.arguments, system_clock().wall());
  if (!count) return complain(count.error());
  std::cout << *count
            << (*count == 1 ? " dead letter waits again\n" : " dead letters wait again\n");
  return kExitOk;
}

}  // namespace

int webhooks(const CommandLine& line, const config::Config& config) {
  switch (line.verb) {
    case Verb::WebhooksAdd:
      return add_webhook(line, config);
    case Verb::WebhooksRemove:
      return remove_webhook(line, config);
    case Verb::WebhooksTest:
      return test_webhook(line, config);
    case Verb::WebhooksDead:
      return list_dead(line, config);
    case Verb::WebhooksReplay:
      return replay(line, config);
    default:
      return list_webhooks(line, config);
  }
}

}  // namespace host::cli
