#include "cli/operate/upstream_table.h"

#include <iostream>
#include <string>

#include "base/text/visible.h"
#include "cli/output/line.h"
#include "cli/output/shell_word.h"
#include "cli/output/table.h"
#include "cli/output/text_in.h"
#include "json/object_text.h"
#include "upstream/pins/definition.h"

namespace host::cli {
namespace {

template <class Act>
void each(const json::Value& object, std::string_view key, Act act) {
  const json::Value* const list = json::find(object, key);
  if (!list || !list->IsArray()) return;
  for (const json::Value& one : list->GetArray()) act(one);
}

std::size_t count(const json::Value& object, std::string_view key) {
  const json::Value* const list = json::find(object, key);
  return list && list->IsArray() ? list->Size() : 0;
}

// The upstream chose this name.
std::string as_shell_word(const std::string& word) {
  return (word.starts_with('-') ? "-- " : "") + shell_word(word);
}

void print_acceptance(const std::string& upstream, const std::string& digest,
                      const std::string& tool) {
  Line(std::cout) << "To accept it: toolpost upstream accept " << upstream << " --digest " << digest
                  << " " << as_shell_word(tool);
}

// Its own JSON, so that what a reader would not see is written out as \u....
std::string shown_definition(const std::string& definition) {
  return definition.empty() ? "none" : marked(definition, Marking::Json);
}

// What holds it, and what it lacks.
void print_sandbox_of(const json::Value& one) {
  const json::Value* const sandbox = json::find(one, "sandbox");
  if (!sandbox || !sandbox->IsObject()) return;
  const std::string name = text_in(one, "name");
  std::string layers;
  each(*sandbox, "layers", [&](const json::Value& layer) {
    const json::Value* const active = json::find(layer, "active");
    const std::string detail = text_in(layer, "detail");
    layers += (layers.empty() ? "" : ", ") + std::string(active && active->IsTrue() ? "" : "NO ") +
              text_in(layer, "layer") + (detail.empty() ? "" : " (" + detail + ")");
  });
  Line(std::cout) << name
                  << ": sandbox: " << (layers.empty() ? "the process does not run now" : layers);
  std::string grants;
  each(*sandbox, "grants", [&](const json::Value& grant) {
    grants += (grants.empty() ? "" : ", ") + std::string(json::text(grant));
  });
  Line(std::cout) << name << ": grants: " << (grants.empty() ? "none" : grants);
  each(*sandbox, "absent", [&](const json::Value& path) {
    Line(std::cout) << name << ": cannot be granted: " << json::text(path);
  });
}

void print_details(const json::Value& one) {
  const std::string name = text_in(one, "name");
  const auto line = [&](std::string_view key, std::string_view words) {
    const std::string value = text_in(one, key);
    if (!value.empty()) Line(std::cout) << name << ": " << words << value;
  };
  line("last_error", "");
  line("cut", "its list is not whole: ");
  print_sandbox_of(one);
  const json::Value* const login = json::find(one, "login");
  if (const std::string needed = login ? text_in(*login, "needed") : std::string();
      !needed.empty()) {
    Line(std::cout) << name << ": " << needed << ". To log in: toolpost upstream login " << name;
  }
  each(one, "refused", [&](const json::Value& refusal) {
    const std::string tool = text_in(refusal, "tool");
    Line(std::cout) << name << ": " << (tool.empty() ? "a tool without a name" : tool)
                    << " is not served: " << text_in(refusal, "reason");
  });
  print_held(one);
}

}  // namespace

void print_held(const json::Value& upstream) {
  const std::size_t held = upstream.IsObject() ? count(upstream, "held") : 0;
  if (held == 0) return;
  const std::string name = text_in(upstream, "name");
  Line(std::cout) << name << ": " << held << (held == 1 ? " definition waits" : " definitions wait")
                  << " for your decision: toolpost upstream diff " << name;
}

void print_upstreams(const json::Value& upstreams) {
  Table table({"UPSTREAM", "STATE", "PROTOCOL", "SERVER", "TOOLS", "PIN", "TRANSPORT", "SOURCE"});
  for (const json::Value& one : upstreams.GetArray()) {
    table.add({text_in(one, "name"), text_in(one, "state"), text_in(one, "protocol"),
               text_in(one, "server"), std::to_string(count(one, "tools")), text_in(one, "pin"),
               text_in(one, "transport"), text_in(one, "source")});
  }
  std::cout << table.text();
  for (const json::Value& one : upstreams.GetArray()) print_details(one);
}

void print_definitions(const std::vector<store::PinRecord>& held, bool as_json,
                       const SecretsOf& secrets_of) {
  for (const store::PinRecord& record : held) {
    const std::string digest = upstream::digest_of(record.held);
    const upstream::Secrets secrets = secrets_of(record);
    const std::string accepted = secrets.hide_json(record.accepted);
    const std::string now = secrets.hide_json(record.held);
    if (as_json) {
      std::string out = "{";
      json::add_text(out, "upstream", record.upstream);
      json::add_text(out, "tool", record.tool);
      json::add_text(out, "digest", digest);
      json::add_member(out, "accepted", accepted.empty() ? "null" : accepted);
      json::add_member(out, "held", now);
      std::cout << out << "}\n";
      continue;
    }
    Line(std::cout) << record.upstream << ": " << record.tool << ", " << digest;
    Line(std::cout) << "accepted: " << shown_definition(accepted);
    Line(std::cout) << "new: " << shown_definition(now);
    print_acceptance(record.upstream, digest, record.tool);
  }
  if (held.empty() && !as_json) Line(std::cout) << "No definition waits for your decision.";
}

bool print_differences(const json::Value& upstreams, std::string_view name) {
  bool some = false;
  for (const json::Value& one : upstreams.GetArray()) {
    if (!name.empty() && json::find_text(one, "name") != name) continue;
    each(one, "held", [&](const json::Value& held) {
      const json::Value* const is_new = json::find(held, "new");
      Line(std::cout) << text_in(one, "name") << ": " << text_in(held, "tool")
                      << (is_new && is_new->IsTrue() ? ", a new tool" : ", changed") << ", since "
                      << text_in(held, "since") << ", " << text_in(held, "digest");
      each(held, "diff", [](const json::Value& line) { Line(std::cout) << json::text(line); });
      some = true;
      if (text_in(held, "digest").empty()) {
        Line(std::cout) << "It is too long to be shown here. To see all of it, and how to accept "
                           "it: toolpost upstream diff "
                        << text_in(one, "name") << " --whole";
        return;
      }
      print_acceptance(text_in(one, "name"), text_in(held, "digest"), text_in(held, "tool"));
    });
    if (count(one, "held") > 1 && !text_in(one, "held_digest").empty()) {
      Line(std::cout) << "To accept all of " << text_in(one, "name")
                      << ": toolpost upstream accept " << text_in(one, "name") << " --digest "
                      << text_in(one, "held_digest");
    }
  }
  return some;
}

}  // namespace host::cli
