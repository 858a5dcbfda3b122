// A Tool is a tool as all parts of the host see it: the provider's declaration, which the host has
// checked once, and the data derived from the declaration.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/trust.h"
#include "json/json.h"
#include "json/schema/schema.h"
#include "tool/definition/class.h"
#include "tool/definition/standing.h"
#include "tool/definition/task.h"

namespace host::tool {

// A Declaration is a provider's declaration of one tool. The members of a Declaration that are JSON
// contain the provider's text unchanged.
struct Declaration {
  std::string name;
  std::string title;
  std::string description;
  std::string input_schema;   // JSON Schema of the arguments object
  std::string output_schema;  // empty: the tool has no output schema
  std::string presets;        // JSON object of fixed arguments; empty: none
  std::string icons;          // JSON array; empty: no icons
  // Further members of the tool's `_meta`, as members of a JSON object without braces; empty: none.
  // Members that only the host writes (host_meta.h) never appear in `meta`.
  std::string meta;
  // `whole_definition` is the digest of a tool's whole definition, if the definition has more
  // members than this struct, such as an operation's HTTP request. If the digest `whole_definition`
  // changes, the host treats the tool as changed. `whole_definition` is empty if the tool's
  // definition has no further members.
  std::string whole_definition;

  bool read_only = false;
  bool concurrency_safe = true;
  bool external = false;
  bool state_injected = false;
  std::optional<bool> strict;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = true;
  bool nonblocking = false;
  TaskUse tasks = TaskUse::Never;
  bool asks_first = false;  // true: the task is made after the first run, which asks the questions
  // Only the host's own tools set the members not_in_explore and asks_person.
  bool not_in_explore = false;  // true: explore mode denies calls of the tool
  bool asks_person = false;     // true: a person gives the tool's result, see approval/question.h

  std::string exclusive;                 // calls with the same text never overlap; empty: no limit
  std::string group;                     // empty: the group `basic`
  std::uint32_t max_inflight = 0;        // maximum number of calls at the same time; 0: no limit
  std::chrono::milliseconds timeout{0};  // 0: the host's default timeout
  std::vector<std::string> dangerous_paths;
  std::vector<std::string> path_args;  // JSON pointers to the arguments that are paths
  std::string command_arg;             // JSON pointer to the command argument; empty: none
  std::vector<std::string> after;      // only for a post_ tool: the tools after which it runs
  // `withheld` contains the arguments in the input schema that the provider does not get, see
  // extension.h.
  std::vector<std::string> withheld;

  bool has_check_permissions = false;
  bool has_match_rule = false;
  bool has_generate_suggestions = false;
  bool has_check_read_only = false;

  // `trust` says how far the operator trusts the tool. The members above omit the tool's claims
  // that the operator does not trust.
  config::Trust trust = config::Trust::Full;
  bool may_only_read = true;  // false: the host treats none of the tool's calls as read-only
  // `auto_approve` is the operator's auto_approve setting for calls of this tool. The value nullopt
  // means that rules and modes decide.
  std::optional<bool> auto_approve;
};

// A Limit is a limit on concurrent calls. If several limits have the same key, their calls share
// one capacity.
struct Limit {
  std::string key;
  std::uint32_t capacity = 1;
  // If `by_place` is true, the scheduler refuses a nested call if one of its outer calls already
  // occupies a unit of this limit. The nested call could otherwise wait for its own outer call, for
  // example if both get the same worker.
  bool by_place = false;
};

// A Tool is a checked declaration and the data derived from it. A tool is immutable, and catalog
// snapshots and calls share it.
class Tool {
 public:
  // Checks the declaration and compiles its schemas. The message of an Error gives the reason: a
  // name, description or schema that is not valid, presets that do not fit the schema, or
  // contradicting flags. `index` is the provider's number for the tool. `provider_limits` are the
  // limits that all tools of the provider share, for example the limit of a serial plugin.
  static Result<std::shared_ptr<const Tool>> make(Declaration declaration, std::uint32_t index,
                                                  std::vector<Limit> provider_limits = {});

  const Declaration& declared() const { return declared_; }
  const std::string& name() const { return declared_.name; }
  Class tool_class() const { return class_; }
  // Says which calls of a tool the host treats as read-only, if a plugin serves the tool. For tools
  // of providers that are not plugins, use standing_of().
  Reads reads() const { return reads_; }
  std::uint32_t index() const { return index_; }

  const json::schema::Schema& input() const { return *input_; }
  const json::schema::Schema* output() const { return output_ ? &*output_ : nullptr; }
  const json::Value* input_properties() const { return properties_; }  // may be null
  const json::Value& input_tree() const { return input_tree_.root(); }
  std::string shown_input() const;  // the schema as clients see it, without presets
  const json::Value* presets() const { return presets_ ? &presets_->root() : nullptr; }
  bool declares_argument(std::string_view name) const;
  bool requires_argument(std::string_view name) const;

  // Returns the limits that apply to calls of this tool. Each call needs one unit of every limit of
  // its tool.
  const std::vector<Limit>& limits() const { return limits_; }
  // Returns the SHA-256 of the declaration, in hex. An approval is valid only for a tool with the
  // same digest.
  const std::string& digest() const { return digest_; }
  // If with_presets() made this tool, returns the digest of the original tool. If with_presets()
  // did not make this tool, returns the same as digest().
  const std::string& source_digest() const { return source_digest_; }
  // Returns a copy of the tool that has the given presets instead of the tool's own presets.
  // with_presets() returns the same Errors as make().
  Result<std::shared_ptr<const Tool>> with_presets(std::string presets) const;
  // Returns the members of the tool's entry in tools/list that are the same in all protocol
  // versions: name, description, inputSchema (without presets), annotations, _meta. The function
  // listing() returns the members of the entry as JSON text without braces.
  const std::string& listing() const { return listing_; }

 private:
  Tool() = default;

  Declaration declared_;
  Class class_ = Class::Standard;
  Reads reads_ = Reads::Never;
  std::uint32_t index_ = 0;
  json::Document input_tree_;
  const json::Value* properties_ = nullptr;
  std::optional<json::Document> presets_;
  std::optional<json::schema::Schema> input_;
  std::optional<json::schema::Schema> output_;
  std::vector<Limit> limits_;
  std::string digest_;
  std::string source_digest_;
  std::string listing_;
};

}  // namespace host::tool
