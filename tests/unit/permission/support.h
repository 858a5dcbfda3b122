// Small words for the tests of permission: a tool, arguments, an engine, one question.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json.h"
#include "permission/decision/engine.h"

namespace host::permission::test {

inline tool::Declaration named(std::string_view name) {
  tool::Declaration tool;
  tool.name = name;
  tool.description = "a tool";
  tool.input_schema = R"({"type":"object"})";
  return tool;
}

inline tool::Declaration read_only(std::string_view name) {
  tool::Declaration tool = named(name);
  tool.read_only = true;
  return tool;
}

inline tool::Declaration writes_file(std::string_view name = "write") {
  tool::Declaration tool = named(name);
  tool.path_args = {"/path"};
  return tool;
}

inline tool::Declaration reads_file(std::string_view name = "read") {
  tool::Declaration tool = writes_file(name);
  tool.read_only = true;
  return tool;
}

inline tool::Declaration shell(std::string_view name = "shell") {
  tool::Declaration tool = named(name);
  tool.command_arg = "/command";
  return tool;
}

inline Rule rule(Behavior behavior, std::string_view tool,
                 std::optional<std::string> content = std::nullopt) {
  return {std::string(tool), std::move(content), behavior, Scope::Host, "test"};
}
inline Rule allow(std::string_view tool, std::optional<std::string> content = std::nullopt) {
  return rule(Behavior::Allow, tool, std::move(content));
}
inline Rule ask(std::string_view tool, std::optional<std::string> content = std::nullopt) {
  return rule(Behavior::Ask, tool, std::move(content));
}
inline Rule deny(std::string_view tool, std::optional<std::string> content = std::nullopt) {
  return rule(Behavior::Deny, tool, std::move(content));
}

inline const Place kPlace{"/home/u", "/home/u/project"};

inline Engine engine(Mode mode, std::vector<Rule> rules = {},
                     std::vector<std::string> working_dirs = {}, Place place = kPlace) {
  return Engine({mode, std::move(rules), std::move(working_dirs), {}, std::move(place)});
}

inline json::Document arguments(
    std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
  json::Document document;
  document.root().SetObject();
  for (const auto& [key, value] : members) {
    json::set(document.root(), key, json::string(value, document.allocator()),
              document.allocator());
  }
  return document;
}

// What is beside the tool and its arguments.
struct Beside {
  std::optional<bool> auto_approve = {};
  config::Trust trust = config::Trust::Full;
  std::optional<tool::OwnYes> own_yes = {};
  const Overlay* session = nullptr;
  const Answers* answers = nullptr;
  Trace* trace = nullptr;
};

// As the host has it once the operator's trust was applied.
inline tool::Standing standing_of(const tool::Declaration& tool, const Beside& beside) {
  tool::Declaration held = tool;
  held.trust = beside.trust;
  held.may_only_read = beside.trust != config::Trust::None;
  tool::Standing standing = tool::standing_of(held, tool::ProviderIdentity::Kind::Plugin);
  if (beside.own_yes) standing.own_yes = *beside.own_yes;
  return standing;
}

inline Request request_of(const tool::Declaration& tool, const json::Document& given,
                          const Beside& beside) {
  return Request{tool,         standing_of(tool, beside),
                 given.root(), beside.auto_approve,
                 nullptr,      beside.session,
                 nullptr,      beside.answers,
                 beside.trace};
}

inline Decision decide(const Engine& engine, const tool::Declaration& tool,
                       const json::Document& given, const Beside& beside = {}) {
  return engine.decide(request_of(tool, given, beside));
}
inline Decision decide(const Engine& engine, const tool::Declaration& tool,
                       const Beside& beside = {}) {
  return decide(engine, tool, arguments({}), beside);
}
inline Decision decide_path(const Engine& engine, const tool::Declaration& tool,
                            std::string_view path, const Beside& beside = {}) {
  return decide(engine, tool, arguments({{"path", path}}), beside);
}
inline Answers checked(Verdict verdict, bool safety = false, std::string reason = "") {
  Answers answers;
  answers.check = CheckAnswer{verdict, safety, "own message", std::move(reason), {}};
  return answers;
}

// The tool's own check says where the command runs, unless `beside` has other answers.
inline Decision decide_command(const Engine& engine, std::string_view command,
                               const Beside& beside = {}, const Place& place = kPlace) {
  Answers told;
  told.check = CheckAnswer{Verdict::Passthrough, false, {}, {}, place.cwd};
  Beside all = beside;
  if (all.answers == nullptr) all.answers = &told;
  return decide(engine, shell(), arguments({{"command", command}}), all);
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tp-permission-XXXXXX").native();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = std::filesystem::canonical(pattern);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(std::string_view name) const { return (path_ / name).native(); }
  std::string text() const { return path_.native(); }
  std::string folder(std::string_view name) const {
    std::filesystem::create_directories(path_ / name);
    return *this / name;
  }
  std::string file(std::string_view name) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << "x";
    return *this / name;
  }
  std::string link(std::string_view name, const std::string& target) const {
    std::filesystem::create_symlink(target, path_ / name);
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::vector<std::string> contents(const std::vector<Rule>& rules) {
  std::vector<std::string> texts;
  for (const Rule& each : rules) texts.push_back(each.content.value_or("(none)"));
  return texts;
}

}  // namespace host::permission::test
