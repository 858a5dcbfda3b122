// [[webhook]]: what the table of keys cannot say.
#include "config/reader/reader.h"

namespace host::config {

void Reader::read_webhooks(const Node& list, Config& into) {
  for (const Node& entry : list.array) {
    if (!expect(entry, Node::Kind::Table, "webhook", "[[webhook]]")) continue;
    Webhook webhook;
    read_section(entry, webhook_keys(webhook), "[[webhook]]");
    for (const Webhook& other : into.webhook) {
      if (webhook.id.empty() || other.id != webhook.id) continue;
      report_.error(entry.find("id")->at, "C015", "a second webhook \"" + webhook.id + "\"",
                    "give each webhook an id of its own");
    }
    for (const char* const key : {"secret", "old_secret"}) {
      const Node* const secret = entry.find(key);
      if (!secret || is_secret(*secret)) continue;
      report_.error(
          secret->at, "C017",
          std::string(key) + " in [[webhook]]: expected { env = \"NAME\" } or { file = \"/path\" }",
          "keep the secret in a file that only the host can read; the path begins with /");
    }
    into.webhook.push_back(std::move(webhook));
  }
}

}  // namespace host::config
