#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "cli/access/own_executable.h"
#include "cli/command/endpoint_url.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/shell_word.h"
#include "json/json.h"

namespace host::cli {
namespace {

std::string quoted(const std::string& text) {
  std::string out;
  json::write_string(text, out);
  return out;
}

// The program and arguments that a client starts.
struct Command {
  std::string program;
  std::vector<std::string> arguments = {"serve", "--stdio"};

  std::string argument_list() const {
    std::string out;
    for (const std::string& argument : arguments)
      out += (out.empty() ? "" : ", ") + quoted(argument);
    return "[" + out + "]";
  }
};

Command command_of(const CommandLine& line) {
  Command command{own_executable().string()};
  if (line.config) {
    command.arguments.emplace_back("--config");
    command.arguments.push_back(
        std::filesystem::absolute(*line.config).lexically_normal().string());
  }
  if (!line.agent.empty()) {
    command.arguments.emplace_back("--agent");
    command.arguments.push_back(line.agent);
  }
  return command;
}

constexpr const char* kVariable = "TOOLPOST_KEY";
constexpr const char* kInput = "toolpost-key";

// A host that runs, as a client reaches it.
struct Endpoint {
  std::string url;
  std::string key;  // a reference to the key, as the client writes it; empty: none is sent

  std::string header() const { return key.empty() ? std::string() : "Bearer " + key; }
};

// The file has no secret in it: Claude Code and Cursor read an environment variable, VS Code asks
// once and keeps the answer encrypted.
std::string key_reference(const std::string& client) {
  if (client == "vscode") return std::string("${input:") + kInput + "}";
  return std::string(client == "cursor" ? "${env:" : "${") + kVariable + "}";
}

// What stands under the server's name. `typed` clients want the transport named.
// `endpoint`: nullopt: the client starts a host.
std::string entry_of(const CommandLine& line, const std::optional<Endpoint>& endpoint, bool typed) {
  if (endpoint) {
    std::string out = std::string("{ ") + (typed ? R"("type": "http", )" : "") +
                      "\"url\": " + quoted(endpoint->url);
    if (!endpoint->key.empty())
      out += R"(, "headers": { "Authorization": )" + quoted(endpoint->header()) + " }";
    return out + " }";
  }
  const Command command = command_of(line);
  return std::string("{ ") + (typed ? R"("type": "stdio", )" : "") +
         "\"command\": " + quoted(command.program) + ", \"args\": " + command.argument_list() +
         " }";
}

std::string file_with(const std::string& key, const std::string& entry,
                      const std::string& before = {}) {
  return "{\n" + before + "  \"" + key + "\": {\n    \"toolpost\": " + entry + "\n  }\n}\n";
}

void print_claude(const CommandLine& line, const std::optional<Endpoint>& endpoint) {
  if (endpoint) {
    // Only .mcp.json, the file of a project, has variables in it expanded.
    const bool with_key = !endpoint->key.empty();
    std::cout << "# Claude Code: run\nclaude mcp add --transport http "
              << (with_key ? "--scope project " : "") << "toolpost " << shell_word(endpoint->url)
              << (with_key ? " --header 'Authorization: " + endpoint->header() + "'" : "")
              << "\n\n# Claude Code: or put this into .mcp.json\n"
              << file_with("mcpServers", entry_of(line, endpoint, true))
              << "\n# Claude Desktop's file takes local commands only: print it without --http.\n";
    return;
  }
  const Command command = command_of(line);
  std::cout << "# Claude Desktop: claude_desktop_config.json\n"
            << file_with("mcpServers", entry_of(line, endpoint, false))
            << "\n# Claude Code: run\nclaude mcp add toolpost -- " << shell_word(command.program);
  for (const std::string& argument : command.arguments) std::cout << ' ' << shell_word(argument);
  std::cout << "\n\n# Claude Code: or put this into .mcp.json\n"
            << file_with("mcpServers", entry_of(line, endpoint, true));
}

void print_vscode(const CommandLine& line, const std::optional<Endpoint>& endpoint) {
  std::string inputs;
  if (endpoint && !endpoint->key.empty()) {
    inputs = std::string(R"(  "inputs": [{ "type": "promptString", "id": ")") + kInput +
             R"(", "description": "Key of the Toolpost host", "password": true }],)" + "\n";
  }
  std::cout << file_with("servers", entry_of(line, endpoint, true), inputs);
}

// On standard error: standard output is the client's file.
void say_where_the_key_goes(const CommandLine& line) {
  std::cerr << (line.client == "vscode"
                    ? std::string("VS Code asks for the key when it starts the server.")
                    : std::string("Set the environment variable ") + kVariable +
                          " to the key before you start the client.")
            << " `toolpost key new NAME"
            << (line.agent.empty() ? std::string() : " --agent " + line.agent) << "` makes one.\n";
}

}  // namespace

int client_config(const CommandLine& line, const config::Agent* agent) {
  std::optional<Endpoint> endpoint;
  if (line.http) {
    auto url = endpoint_url(*line.http, line.agent);
    if (!url) return complain(url.error());
    const bool needs_key = line.with_key || (agent != nullptr && agent->needs_key);
    endpoint = Endpoint{*std::move(url), needs_key ? key_reference(line.client) : std::string()};
  }
  if (line.client == "claude") {
    print_claude(line, endpoint);
  } else if (line.client == "vscode") {
    print_vscode(line, endpoint);
  } else {
    std::cout << file_with("mcpServers", entry_of(line, endpoint, false));
  }
  if (endpoint && !endpoint->key.empty()) say_where_the_key_goes(line);
  return kExitOk;
}

}  // namespace host::cli
