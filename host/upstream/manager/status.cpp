#include "upstream/manager/status.h"

#include <algorithm>

#include "json/object_text.h"

namespace host::upstream {
namespace {

std::string held_json(const HeldChange& held) {
  std::string out = "{";
  json::add_text(out, "tool", held.tool);
  json::add_bool(out, "new", held.is_new);
  // Who accepts by the digest has to have seen all of it.
  json::add_text(out, "digest", held.is_cut ? std::string() : held.digest);
  json::add_bool(out, "cut", held.is_cut);
  json::add_text(out, "since", to_rfc3339(held.since));
  json::add_member(out, "diff", json::list_of(held.lines));
  return out + "}";
}

std::string refusal_json(const tool::Refusal& refusal) {
  std::string out = "{";
  json::add_text(out, "tool", refusal.tool);
  json::add_text(out, "reason", refusal.reason);
  return out + "}";
}

std::string login_json(const LoginStatus& login) {
  std::string out = "{";
  json::add_text(out, "needed", login.needed);
  json::add_text(out, "issuer", login.issuer);
  json::add_member(out, "scopes", json::list_of(login.scopes));
  json::add_text(out, "expires",
                 login.expires == WallTime() ? std::string() : to_rfc3339(login.expires));
  return out + "}";
}

std::string layer_json(const sandbox::Layer& layer) {
  std::string out = "{";
  json::add_text(out, "layer", to_string(layer.name));
  json::add_text(out, "detail", layer.detail);
  json::add_bool(out, "active", layer.active);
  return out + "}";
}

template <class T, class Write>
std::string array_of(const std::vector<T>& all, Write write) {
  std::string out = "[";
  for (const T& one : all) {
    if (out.size() > 1) out += ',';
    out += write(one);
  }
  return out + "]";
}

std::string sandbox_json(const SandboxStatus& sandbox) {
  std::string out = "{";
  json::add_member(out, "grants", json::list_of(sandbox.grants));
  json::add_member(out, "absent", json::list_of(sandbox.applied.absent));
  json::add_member(out, "layers", array_of(sandbox.applied.layers, layer_json));
  return out + "}";
}

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::Idle:
      return "idle";
    case State::Starting:
      return "starting";
    case State::Ready:
      return "ready";
    case State::Waiting:
      return "waiting";
    case State::Stopped:
      return "stopped";
  }
  return "idle";
}

Status hide(Status status, const Secrets& secrets) {
  const auto in = [&secrets](std::string& text) { text = secrets.hide_in_words(text); };
  const auto in_each = [&in](std::vector<std::string>& texts) {
    for (std::string& text : texts) in(text);
  };
  for (std::string* const text :
       {&status.transport, &status.server, &status.cut, &status.last_error})
    in(*text);
  in_each(status.last_lines);
  for (tool::Refusal& refusal : status.refusals) {
    in(refusal.tool);
    in(refusal.reason);
  }
  if (status.login) {
    in(status.login->needed);
    in(status.login->issuer);
    in_each(status.login->scopes);
  }
  return status;
}

void add_held(Status& status, std::vector<HeldChange> more, const std::string& digest) {
  const std::size_t own = status.held.size();
  const bool has_variants =
      std::adjacent_find(more.begin(), more.end(), [](const auto& one, const auto& next) {
        return one.tool == next.tool;
      }) != more.end();
  for (HeldChange& one : more) {
    const bool is_known = std::any_of(
        status.held.begin(), status.held.end(),
        [&](const auto& held) { return held.tool == one.tool && held.digest == one.digest; });
    if (!is_known) status.held.push_back(std::move(one));
  }
  if (status.held.size() == own) return;
  // No host holds all of them, so they cannot be accepted together.
  status.held_digest = own == 0 && !has_variants ? digest : std::string();
}

std::string as_json(const Status& status) {
  std::string out = "{";
  json::add_text(out, "name", status.name);
  json::add_text(out, "state", to_string(status.state));
  json::add_text(out, "source", status.source);
  json::add_text(out, "transport", status.transport);
  json::add_text(out, "protocol", status.protocol);
  json::add_text(out, "server", status.server);
  json::add_text(out, "pin", config::to_string(status.pin));
  json::add_member(out, "tools", json::list_of(status.tools));
  json::add_member(out, "resources", json::list_of(status.resources));
  json::add_member(out, "templates", json::list_of(status.templates));
  json::add_member(out, "prompts", json::list_of(status.prompts));
  json::add_member(out, "held", array_of(status.held, held_json));
  const bool is_cut = std::any_of(status.held.begin(), status.held.end(),
                                  [](const HeldChange& held) { return held.is_cut; });
  json::add_text(out, "held_digest", is_cut ? std::string() : status.held_digest);
  json::add_member(out, "refused", array_of(status.refusals, refusal_json));
  json::add_text(out, "cut", status.cut);
  json::add_text(out, "last_error", status.last_error);
  json::add_member(out, "next_start_ms", std::to_string(status.next_start.count()));
  json::add_member(out, "starts", std::to_string(status.starts));
  json::add_member(out, "running", std::to_string(status.running));
  json::add_member(out, "waiting", std::to_string(status.waiting));
  json::add_member(out, "last_lines", json::list_of(status.last_lines));
  json::add_member(out, "sandbox", status.sandbox ? sandbox_json(*status.sandbox) : "null");
  if (status.login) json::add_member(out, "login", login_json(*status.login));
  return out + "}";
}

}  // namespace host::upstream
