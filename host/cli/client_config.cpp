#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "cli/complaint.h"
#include "cli/endpoint_url.h"
#include "cli/exit_code.h"
#include "cli/own_executable.h"
#include "cli/verbs.h"
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

// What stands under the server's name. `typed` clients want the transport named.
// `url`: of a host that runs; nullopt: the client starts one.
std::string entry_of(const CommandLine& line, const std::optional<std::string>& url, bool typed) {
  if (url) {
    return std::string("{ ") + (typed ? R"("type": "http", )" : "") + "\"url\": " + quoted(*url) +
           " }";
  }
  const Command command = command_of(line);
  return std::string("{ ") + (typed ? R"("type": "stdio", )" : "") +
         "\"command\": " + quoted(command.program) + ", \"args\": " + command.argument_list() +
         " }";
}

std::string file_with(const std::string& key, const std::string& entry) {
  return "{\n  \"" + key + "\": {\n    \"toolpost\": " + entry + "\n  }\n}\n";
}

void print_claude(const CommandLine& line, const std::optional<std::string>& url) {
  if (url) {
    std::cout << "# Claude Code: run\nclaude mcp add --transport http toolpost " << *url
              << "\n\n# Claude Code: or put this into .mcp.json\n"
              << file_with("mcpServers", entry_of(line, url, true))
              << "\n# Claude Desktop's file takes local commands only: print it without --http.\n";
    return;
  }
  const Command command = command_of(line);
  std::cout << "# Claude Desktop: claude_desktop_config.json\n"
            << file_with("mcpServers", entry_of(line, url, false))
            << "\n# Claude Code: run\nclaude mcp add toolpost -- " << command.program;
  for (const std::string& argument : command.arguments) std::cout << ' ' << argument;
  std::cout << "\n\n# Claude Code: or put this into .mcp.json\n"
            << file_with("mcpServers", entry_of(line, url, true));
}

}  // namespace

int client_config(const CommandLine& line) {
  std::optional<std::string> url;
  if (line.http) {
    auto made = endpoint_url(*line.http, line.agent);
    if (!made) return complain(made.error());
    url = *std::move(made);
  }
  if (line.client == "claude") {
    print_claude(line, url);
  } else if (line.client == "vscode") {
    std::cout << file_with("servers", entry_of(line, url, true));
  } else {
    std::cout << file_with("mcpServers", entry_of(line, url, false));
  }
  return kExitOk;
}

}  // namespace host::cli
