#include "cli/operate/upstream_edit.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "cli/access/config_orders.h"
#include "cli/access/upstream_faults.h"
#include "cli/operate/upstream_import.h"
#include "cli/output/complaint.h"
#include "cli/output/diagnostics_json.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "config/change/edit.h"
#include "config/document/document.h"
#include "config/key/form.h"
#include "config/key/show.h"
#include "config/name/known_names.h"
#include "config/reader/load.h"
#include "config/user_folders.h"
#include "json/object_text.h"

namespace host::cli {
namespace {

namespace fs = std::filesystem;

struct Target {
  fs::path file;
  std::string text;  // empty: the file is made
};

// The file that the configuration came from; without one, the user's.
Result<Target> target_of(const config::Config& config) {
  Target out{config.file, {}};
  if (!config.file.empty()) {
    HOST_TRY_ASSIGN(out.text, config::read_document(config.file, config::kMostConfigBytes));
    return out;
  }
  const fs::path folder = config::user_folders(environ).config;
  if (folder.empty()) {
    return Error{ErrorKind::NotFound,
                 "there is no configuration file, and no home folder to make one in: name one with "
                 "--config"};
  }
  out.file = folder / "config.toml";
  return out;
}

// Nothing else may change by an edit.
Result<void> check_edit(const config::Config& before, const config::Config& after,
                        const std::vector<config::Upstream>& wanted) {
  config::Config same = after;
  same.upstream = before.upstream;
  same.file = before.file;
  config::Config old = before;
  if (after.upstream == wanted && config::show(same) == config::show(old)) return {};
  return Error{ErrorKind::Internal,
               after.file.string() +
                   " was not changed, because the edit would change something else than was asked: "
                   "edit it by hand"};
}

// With its tables in the order in which a file is read.
config::Upstream as_read(const config::Upstream& one, const fs::path& file) {
  const config::Loaded alone = config::parse(config::section_of(one), file, environ);
  const bool is_read = alone.config && alone.config->upstream.size() == 1;
  return is_read ? alone.config->upstream.front() : one;  // the whole file will be refused
}

// What keeps running hosts from using these upstreams of `now`, such as a secret that is only in
// the environment of this command. A removed upstream is not used any more, which is no fault.
void print_faults(const config::Config& config, const config::Config& now,
                  const std::vector<std::string>& keys) {
  for (const UpstreamFault& one : faults_of_upstreams(config)) {
    const bool is_removed =
        std::none_of(now.upstream.begin(), now.upstream.end(),
                     [&](const config::Upstream& other) { return other.name == one.upstream; });
    if (is_removed) continue;
    if (std::find(keys.begin(), keys.end(), "upstream." + one.upstream) == keys.end()) continue;
    Line(std::cerr) << "toolpost: the host at " << one.host << " cannot use " << one.upstream
                    << " yet: " << one.why;
  }
}

int refuse(const std::vector<config::Diagnostic>& faults, const char* why) {
  for (const config::Diagnostic& one : faults) std::cerr << one.describe() << '\n';
  Line(std::cerr) << "toolpost: nothing was written: " << why;
  return complain_of_configuration(diagnostics_json(faults));
}

// Checks and writes the new text, and has running hosts read it. `edited` are the keys of the
// upstreams that differ in it.
int commit(const CommandLine& line, const config::Config& config, const Target& target,
           const std::string& text, const std::vector<config::Upstream>& wanted,
           const std::vector<std::string>& edited, const std::string& done) {
  const config::Loaded loaded = config::parse(text, target.file, environ);
  if (!loaded.config) return refuse(loaded.diagnostics, "the file would not be valid");
  if (const auto meant = check_edit(config, *loaded.config, wanted); !meant)
    return complain(meant.error());
  if (const auto written = config::replace_text(target.file, target.text, text); !written)
    return complain(written.error());
  auto reports = order_configuration(config, ConfigOrder::Reload);
  if (!reports) return complain(reports.error().within(done + ", but a host was not told"));
  add_edited(*reports, target.file, edited);
  print_faults(config, *loaded.config, edited);
  if (line.json) {
    std::string out = "{";
    json::add_text(out, "file", target.file.string());
    json::add_member(out, "hosts", reports_json(*reports));
    std::cout << out << "}\n";
    return exit_code_for(*reports);
  }
  Line(std::cout) << done;
  return print_reports(*reports);
}

// A path of the command line starts at the folder of the user, and the host has another one.
std::string as_written_here(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  return error ? path : whole.string();
}

// Without a slash, the program is looked up in PATH.
std::string program_of(const CommandLine& line) {
  const std::string& command = line.arguments.front();
  return command.find('/') == std::string::npos ? command : as_written_here(command);
}

// As the files of other clients have them, so that both have one reader.
std::string as_imported(const CommandLine& line) {
  const auto table = [](const std::vector<std::string>& pairs) {
    std::string out = "{";
    for (const std::string& one : pairs) {
      const std::size_t equals = one.find('=');
      json::add_text(out, one.substr(0, equals), one.substr(equals + 1));
    }
    return out + "}";
  };
  std::string server = "{";
  const bool is_api = !line.upstream.openapi.empty();
  if (is_api || !line.upstream.url.empty()) {
    json::add_text(server, "url", is_api ? line.upstream.openapi : line.upstream.url);
    json::add_member(server, "headers", table(line.upstream.headers));
  } else {
    json::add_text(server, "command", program_of(line));
    json::add_member(server, "args",
                     json::list_of({line.arguments.begin() + 1, line.arguments.end()}));
    json::add_member(server, "env", table(line.upstream.env));
    if (!line.upstream.cwd.empty())
      json::add_text(server, "cwd", as_written_here(line.upstream.cwd));
  }
  std::string servers = "{";
  json::add_member(servers, line.name, server + "}");
  std::string out = "{";
  json::add_member(out, "mcpServers", servers + "}");
  return out + "}";
}

// "${NAME}" without the rest; empty: it has another form.
std::string variable_of(std::string_view value) {
  const bool fits = value.starts_with("${") && value.ends_with('}') && value.size() > 3;
  return fits ? std::string(value.substr(2, value.size() - 3)) : std::string();
}

// What an OpenAPI document needs, of an upstream that was read as one with a URL.
void make_api(const CommandLine& line, config::Upstream& one) {
  one.openapi = line.upstream.openapi;
  if (!config::is_document_url(one.openapi)) {
    one.openapi = as_written_here(one.openapi);
    std::error_code error;
    if (!fs::exists(one.openapi, error))
      Line(std::cerr) << "toolpost: the document " << one.openapi << " does not exist yet";
  }
  one.url = line.upstream.url;
  one.origins = line.upstream.origins;
  std::string credentials = "{";
  for (const std::string& pair : line.upstream.credentials) {
    const std::size_t equals = pair.find('=');
    std::string secret = "{";
    json::add_text(secret, "env", variable_of(std::string_view(pair).substr(equals + 1)));
    json::add_member(credentials, pair.substr(0, equals), secret + "}");
  }
  if (!line.upstream.credentials.empty()) one.credentials = credentials + "}";
}

Result<void> check_api_words(const CommandLine& line) {
  const NewUpstream& added = line.upstream;
  const auto fault = [](std::string why) {
    return Error{ErrorKind::InvalidArgument, std::move(why)};
  };
  if (added.openapi.empty() && (!added.origins.empty() || !added.credentials.empty()))
    return fault("--origin and --credential are for --openapi");
  if (!added.openapi.empty() && !line.arguments.empty())
    return fault("write the command after --, or --openapi: one of both");
  for (const std::string& one : added.credentials) {
    const std::size_t equals = one.find('=');
    if (equals == 0 || equals == std::string::npos ||
        variable_of(std::string_view(one).substr(equals + 1)).empty())
      return fault("--credential has not the form SCHEME='${NAME}'");
  }
  return {};
}

Result<void> check_words(const CommandLine& line) {
  const auto fault = [](std::string why) {
    return Error{ErrorKind::InvalidArgument, std::move(why)};
  };
  HOST_TRY(check_api_words(line));
  const bool by_url = !line.upstream.url.empty() || !line.upstream.openapi.empty();
  if (by_url == !line.arguments.empty())
    return fault("write the command after --, or --url or --openapi: one of them");
  if (by_url && (!line.upstream.env.empty() || !line.upstream.cwd.empty()))
    return fault("--env and --cwd are for a command, and this upstream has a URL");
  if (!by_url && !line.upstream.headers.empty())
    return fault("--header is for a URL, and this upstream has a command");
  for (const auto* const pairs : {&line.upstream.env, &line.upstream.headers}) {
    for (const std::string& one : *pairs) {
      if (one.find('=') == 0 || one.find('=') == std::string::npos)
        return fault("\"" + one + "\" has not the form NAME=VALUE");
    }
  }
  return {};
}

Result<void> check_name(const std::string& name) {
  const char* const form = config::upstream_name_form(name);
  if (!form) return {};
  return Error{ErrorKind::InvalidArgument,
               "nothing was written: \"" + name + "\" is not a valid name. Use " + form};
}

// The host starts the process in its own folder.
void warn_of_relative_paths(const CommandLine& line) {
  if (!line.upstream.cwd.empty()) return;
  for (std::size_t i = 1; i < line.arguments.size(); ++i) {
    const std::string& word = line.arguments[i];
    std::error_code error;
    const bool is_path = fs::path(word).is_relative() && fs::exists(word, error);
    if (!is_path || word.find_first_not_of('.') == std::string::npos) continue;
    Line(std::cerr) << "toolpost: the argument \"" << word
                    << "\" is a relative path, and the process starts in the folder of the host: "
                       "write "
                    << as_written_here(word) << ", or set --cwd";
  }
}

}  // namespace

int upstream_add(const CommandLine& line, const config::Config& config) {
  if (const auto words = check_words(line); !words) return complain(words.error(), kExitUsage);
  if (const auto named = check_name(line.name); !named) return complain(named.error(), kExitConfig);
  auto imported = import_servers(as_imported(line));
  if (!imported) return complain(imported.error());
  for (const std::string& note : imported->notes) Line(std::cerr) << "toolpost: " << note;
  if (imported->upstreams.size() != 1)
    return complain({ErrorKind::InvalidArgument, "nothing was written"});
  config::Upstream& one = imported->upstreams.front();
  if (!line.upstream.openapi.empty()) make_api(line, one);
  warn_of_relative_paths(line);
  if (line.upstream.pin == "tofu") one.pin = config::Pin::Tofu;
  if (line.upstream.pin == "review") one.pin = config::Pin::Review;
  if (line.upstream.pin == "off") one.pin = config::Pin::Off;
  return write_upstreams(line, config, imported->upstreams);
}

Result<std::string> text_to_edit(const config::Config& config) {
  HOST_TRY_ASSIGN(Target target, target_of(config));
  return std::move(target.text);
}

int write_upstreams(const CommandLine& line, const config::Config& config,
                    const std::vector<config::Upstream>& added) {
  const auto target = target_of(config);
  if (!target) return complain(target.error());
  std::string text = target->text;
  std::string names;
  std::vector<config::Upstream> wanted = config.upstream;
  std::vector<std::string> edited;
  for (const config::Upstream& one : added) {
    text = config::with_upstream(text, one);
    names += (names.empty() ? "" : ", ") + one.name;
    wanted.push_back(as_read(one, target->file));
    edited.push_back("upstream." + one.name);
  }
  return commit(line, config, *target, text, wanted, edited,
                names + " added to " + target->file.string());
}

int upstream_remove(const CommandLine& line, const config::Config& config) {
  const auto target = target_of(config);
  if (!target) return complain(target.error());
  const auto text = config::without_upstream(target->text, line.name);
  if (!text) return complain(text.error());
  for (const config::Group& group : config.groups) {
    const auto& named = group.upstreams;
    if (std::find(named.begin(), named.end(), line.name) == named.end()) continue;
    return complain({ErrorKind::InvalidArgument,
                     "the group \"" + group.name + "\" in " + target->file.string() + " names \"" +
                         line.name + "\": remove it from the group's upstreams first"},
                    kExitConfig);
  }
  const auto refused = config::refused_without(config, line.name);
  if (!refused.empty())
    return refuse(refused,
                  "no host would start with the file, because a setting would forbid "
                  "nothing: remove this setting first");
  std::vector<config::Upstream> wanted = config.upstream;
  std::erase_if(wanted, [&](const config::Upstream& one) { return one.name == line.name; });
  return commit(line, config, *target, *text, wanted, {"upstream." + line.name},
                line.name + " removed from " + target->file.string());
}

}  // namespace host::cli
