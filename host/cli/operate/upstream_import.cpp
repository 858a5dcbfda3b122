#include "cli/operate/upstream_import.h"

#include <algorithm>
#include <iostream>
#include <optional>

#include "base/text/visible.h"
#include "cli/command/verbs.h"
#include "cli/operate/jsonc.h"
#include "cli/operate/upstream_edit.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "config/change/edit.h"
#include "config/document/document.h"
#include "config/reader/load.h"
#include "json/object_text.h"

namespace host::cli {
namespace {

constexpr std::size_t kMostNameBytes = 32;
constexpr std::size_t kMostFileBytes = 4u << 20u;

bool may_be_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A name as [[upstream]] wants it: other characters become -, and __ would end a name too early.
std::string upstream_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const char kept = may_be_in_name(c) || c == '_' ? c : '-';
    if (kept == '_' && (out.empty() || out.back() == '_')) continue;
    out += kept;
  }
  out.resize(std::min(out.size(), kMostNameBytes));
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

// The name of an environment variable for ${NAME}, ${env:NAME} and VS Code's ${input:name}. Empty:
// the text is none of these.
std::string variable_in(std::string_view text) {
  if (!text.starts_with("${") || !text.ends_with('}')) return {};
  std::string_view inner = text.substr(2, text.size() - 3);
  if (const std::size_t colon = inner.find(':'); colon != std::string_view::npos) {
    const std::string_view kind = inner.substr(0, colon);
    if (kind != "env" && kind != "input") return {};
    inner.remove_prefix(colon + 1);
  }
  if (inner.find_first_of("${}") != std::string_view::npos) return {};  // "${A}${B}"
  std::string name;
  for (const char c : inner) {
    const bool lower = c >= 'a' && c <= 'z';
    name += may_be_in_name(c) || c == '_'
                ? (lower && text.starts_with("${input:") ? static_cast<char>(c - 'a' + 'A') : c)
                : '_';
  }
  const bool fits = !name.empty() && (name[0] < '0' || name[0] > '9');
  return fits ? name : std::string();
}

bool has_reference(std::string_view text) {
  return text.find("${") != std::string_view::npos;
}

// A value as the server gets it: other clients accept numbers and booleans, too. Nullopt: null, an
// object or an array.
std::optional<std::string> value_of(const json::Value& value) {
  if (value.IsString()) return std::string(json::text(value));
  if (value.IsNumber() || value.IsBool()) return json::write(value);
  return std::nullopt;
}

// A member of a server, and what to do where the import does not convert it.
struct Remedy {
  std::string_view member;
  std::string_view what;
};

constexpr Remedy kRemedies[] = {
    {"envFile", "write its variables in env"}, {"timeout", "see timeout_s"},
    {"autoApprove", "see auto_approve"},       {"alwaysAllow", "see auto_approve"},
    {"auth", "see auth = \"oauth\""},          {"oauth", "see auth = \"oauth\""},
    {"headersHelper", "see headers"},
};

// The members that ServerReader reads.
constexpr std::string_view kOfAll[] = {"type", "command", "url", "disabled"};
constexpr std::string_view kOfCommands[] = {"args", "env", "cwd"};
constexpr std::string_view kOfUrls[] = {"headers"};
constexpr std::string_view kTypes[] = {"stdio", "http", "sse", "streamable-http", "streamableHttp"};

template <class Names>
bool is_among(const Names& names, std::string_view one) {
  return std::find(std::begin(names), std::end(names), one) != std::end(names);
}

class ServerReader {
 public:
  // `project`: the folder to whose users alone the servers belong in the file; empty: none.
  void read_all(const json::Value& servers, std::string_view project) {
    project_ = project;
    for (const auto& member : servers.GetObject()) read(json::text(member.name), member.value);
  }

  ImportedServers take() { return std::move(out_); }

 private:
  void read(std::string_view name, const json::Value& server) {
    name_ = name;
    if (!server.IsObject()) return note("is no object and was left out");
    if (is_true(server, "disabled")) return note("is disabled there and was left out");
    config::Upstream upstream;
    upstream.name = upstream_name(name);
    upstream.command = json::find_text(server, "command");
    upstream.url = json::find_text(server, "url");
    if (upstream.name.empty() || (upstream.command.empty() && upstream.url.empty()))
      return note("has no usable name, or neither command nor url, and was left out");
    if (is_taken(upstream.name)) return note("would have the name of an earlier one: left out");
    if (upstream.name != name) note("has the name " + upstream.name + " here");
    if (!project_.empty()) note("is of one project there, and of all agents here: see agents");
    note_rest(server, upstream);
    if (!upstream.url.empty()) return read_url(server, std::move(upstream));
    read_args(server, upstream);
    read_env(server, upstream);
    upstream.cwd = std::string(json::find_text(server, "cwd"));
    check_paths(upstream);
    out_.upstreams.push_back(std::move(upstream));
  }

  // Of the members that are not converted.
  void note_rest(const json::Value& server, const config::Upstream& upstream) {
    const bool is_url = !upstream.url.empty();
    for (const auto& member : server.GetObject()) {
      const std::string_view key = json::text(member.name);
      const bool is_read = is_among(kOfAll, key) || (!is_url && is_among(kOfCommands, key)) ||
                           (is_url && is_among(kOfUrls, key));
      const bool is_unused = is_url && key == "command";
      if (is_read && !is_unused) continue;
      const auto* const known = std::find_if(std::begin(kRemedies), std::end(kRemedies),
                                             [&](const Remedy& one) { return one.member == key; });
      const bool has_remedy = known != std::end(kRemedies);
      note("has " + std::string(key) + ", which was left out" +
           (has_remedy ? ": " + std::string(known->what) : std::string()));
    }
    const std::string_view type = json::find_text(server, "type");
    if (!type.empty() && !is_among(kTypes, type))
      note("has the type " + std::string(type) + ", which was left out");
    const json::Value* const cwd = json::find(server, "cwd");
    if (!is_url && cwd && !cwd->IsString()) note("has a cwd that is no text: it was left out");
  }

  // Null: there is none, or it has another form.
  const json::Value* member_of(const json::Value& server, const char* key, bool is_list) {
    const json::Value* const found = json::find(server, key);
    if (!found || (is_list ? found->IsArray() : found->IsObject())) return found;
    note("has " + std::string(key) + " that is no " + (is_list ? "list" : "object") +
         ": it was left out");
    return nullptr;
  }

  static bool is_true(const json::Value& server, std::string_view key) {
    const json::Value* const found = json::find(server, key);
    return found && found->IsTrue();
  }

  void note(const std::string& what) {
    const std::string where = project_.empty() ? std::string() : " of " + std::string(project_);
    out_.notes.push_back(marked("\"" + std::string(name_) + "\"" + where + " " + what));
  }

  bool is_taken(const std::string& name) const {
    return std::any_of(out_.upstreams.begin(), out_.upstreams.end(),
                       [&](const config::Upstream& other) { return other.name == name; });
  }

  void read_args(const json::Value& server, config::Upstream& upstream) {
    const json::Value* const args = member_of(server, "args", true);
    if (!args) return;
    for (const json::Value& one : args->GetArray()) {
      const std::optional<std::string> value = value_of(one);
      if (!value) {
        note("has an argument that is no text: it was left out");
        continue;
      }
      upstream.args.push_back(*value);
      if (has_reference(upstream.args.back()))
        note("has the argument " + upstream.args.back() + ": write its value, it is not expanded");
    }
  }

  void read_env(const json::Value& server, config::Upstream& upstream) {
    const json::Value* const env = member_of(server, "env", false);
    if (!env || env->ObjectEmpty()) return;
    std::string table = "{";
    for (const auto& member : env->GetObject()) {
      const std::string_view key = json::text(member.name);
      const std::optional<std::string> value = value_of(member.value);
      if (!value) {
        note("has " + std::string(key) + " in env, which is no text: it was left out");
        continue;
      }
      const std::string variable = variable_in(*value);
      if (variable.empty()) {
        json::add_text(table, key, *value);
        if (has_reference(*value))
          note("has " + std::string(key) + " in env with a reference: it is not expanded");
        continue;
      }
      std::string secret = "{";
      json::add_text(secret, "env", variable);
      json::add_member(table, key, secret + "}");
      note("takes " + std::string(key) + " from the host's environment variable " + variable);
    }
    if (table.size() > 1) upstream.env = table + "}";
  }

  void read_url(const json::Value& server, config::Upstream upstream) {
    upstream.command.clear();
    if (json::find_text(server, "type") == "sse")
      upstream.transport = config::UpstreamTransport::Sse;
    if (has_reference(upstream.url))
      note("has the url " + upstream.url + ": write its value, it is not expanded");
    const json::Value* const headers = member_of(server, "headers", false);
    if (headers && !headers->ObjectEmpty()) read_headers(*headers, upstream);
    out_.upstreams.push_back(std::move(upstream));
  }

  // "Bearer ${TOKEN}" is a prefix and a variable.
  void read_headers(const json::Value& headers, config::Upstream& upstream) {
    std::string table = "{";
    for (const auto& member : headers.GetObject()) {
      const std::string_view key = json::text(member.name);
      const std::optional<std::string> value = value_of(member.value);
      if (!value) {
        note("has the header " + std::string(key) + ", which is no text: it was left out");
        continue;
      }
      const std::size_t at = value->find("${");
      const std::string variable =
          at == std::string::npos ? std::string() : variable_in(value->substr(at));
      if (variable.empty()) {
        json::add_text(table, key, *value);
        if (has_reference(*value))
          note("has the header " + std::string(key) + " with a reference: it is not expanded");
        continue;
      }
      std::string secret = "{";
      json::add_text(secret, "env", variable);
      if (at > 0) json::add_text(secret, "prefix", value->substr(0, at));
      json::add_member(table, key, secret + "}");
      note("takes the header " + std::string(key) + " from the host's environment variable " +
           variable);
    }
    if (table.size() > 1) upstream.headers = table + "}";
  }

  void check_paths(const config::Upstream& upstream) {
    const bool relative =
        upstream.command.find('/') != std::string::npos && !upstream.command.starts_with('/');
    if (relative || has_reference(upstream.command))
      note("has the command " + upstream.command + ": write an absolute path");
    const std::string cwd = upstream.cwd.string();
    if (!cwd.empty() && (!cwd.starts_with('/') || has_reference(cwd)))
      note("has the cwd " + cwd + ": write an absolute path");
  }

  std::string_view name_;
  std::string_view project_;
  ImportedServers out_;
};

// Claude Code has the servers of one project in its own file.
bool read_projects(const json::Value& file, ServerReader& reader) {
  const json::Value* const projects = json::find(file, "projects");
  if (!projects || !projects->IsObject()) return false;
  bool is_any = false;
  for (const auto& project : projects->GetObject()) {
    const json::Value* const servers = json::find(project.value, "mcpServers");
    if (!servers || !servers->IsObject()) continue;
    is_any = true;
    reader.read_all(*servers, json::text(project.name));
  }
  return is_any;
}

// The host does not read a file with a faulty section, so none of the other servers could be used.
// `text` is what the sections are added to.
void leave_out_faulty(ImportedServers& imported, std::string text) {
  std::erase_if(imported.upstreams, [&](const config::Upstream& one) {
    std::string longer = config::with_upstream(text, one);
    const auto loaded = config::parse(longer, "config.toml", nullptr);
    if (loaded.config) {
      text = std::move(longer);
      return false;
    }
    imported.notes.push_back(
        marked("\"" + one.name + "\" was left out: " + loaded.diagnostics.front().message));
    return true;
  });
}

}  // namespace

Result<ImportedServers> import_servers(std::string_view jsonc) {
  HOST_TRY_ASSIGN(const json::Document tree, json::parse(without_comments(jsonc)));
  ServerReader reader;
  const json::Value* servers = json::find(tree.root(), "mcpServers");
  if (!servers) servers = json::find(tree.root(), "servers");
  const bool has_servers = servers && servers->IsObject();
  if (has_servers) reader.read_all(*servers, {});
  if (!read_projects(tree.root(), reader) && !has_servers) {
    return Error{ErrorKind::InvalidArgument,
                 "it has neither \"mcpServers\" (Claude, Cursor) nor \"servers\" (VS Code)"};
  }
  return reader.take();
}

int upstream_import(const CommandLine& line, const config::Config* into) {
  const auto text = config::read_document(line.path, kMostFileBytes);
  if (!text) return complain(text.error().within(line.path.string()));
  auto imported = import_servers(*text);
  if (!imported) return complain(imported.error().within(line.path.string()));
  auto present = into ? text_to_edit(*into) : Result<std::string>(std::string());
  if (!present) return complain(present.error());
  leave_out_faulty(*imported, *std::move(present));
  if (!into) {
    for (const config::Upstream& one : imported->upstreams) std::cout << config::section_of(one);
  }
  for (const std::string& note : imported->notes) Line(std::cerr) << "toolpost: " << note;
  if (into && imported->upstreams.empty()) {
    return complain({ErrorKind::InvalidArgument,
                     line.path.string() + " has no server to import, so nothing was written"});
  }
  if (into) return write_upstreams(line, *into, imported->upstreams);
  Line(std::cerr) << "toolpost: " << imported->upstreams.size()
                  << " upstreams; add this text to your config.toml, or use --write, then "
                     "run `toolpost upstream test NAME`";
  return kExitOk;
}

}  // namespace host::cli
