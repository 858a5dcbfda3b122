// A tool as the whole host sees it: what its provider declared, checked once, and what follows from
// it.
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
#include "tool/class.h"
#include "tool/standing.h"
#include "tool/task.h"

namespace host::tool {

// What a provider says of one tool. JSON members are texts, kept verbatim.
struct Declaration {
  std::string name;
  std::string title;
  std::string description;
  std::string input_schema;   // an object's schema
  std::string output_schema;  // empty: none
  std::string presets;        // JSON object of fixed arguments; empty: none
  std::string icons;          // JSON array; empty: none

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
  bool asks_first = false;  // what its first run asks is asked before there is a task

  std::string exclusive;                 // empty: none
  std::string group;                     // empty: basic
  std::uint32_t max_inflight = 0;        // 0: no bound
  std::chrono::milliseconds timeout{0};  // 0: the host's default
  std::vector<std::string> dangerous_paths;
  std::vector<std::string> path_args;  // JSON pointers
  std::string command_arg;             // JSON pointer; empty: none
  std::vector<std::string> after;      // post_ only

  bool has_check_permissions = false;
  bool has_match_rule = false;
  bool has_generate_suggestions = false;
  bool has_check_read_only = false;

  // What the operator believes of it. A claim that is not believed is taken out above; see
  // standing.h for what is in force.
  config::Trust trust = config::Trust::Full;
  bool may_only_read = true;         // false: no call of it counts as one that only reads
  std::optional<bool> auto_approve;  // the operator's word on its calls; unset: rules and modes
};

// One bound on what may run at once: calls that name the same key share its capacity.
struct Limit {
  std::string key;
  std::uint32_t capacity = 1;
  // Places are not alike: a call made by one that has a unit could wait for that one's own place.
  bool by_place = false;
};

// A checked declaration and what is made of it once. Immutable; shared by catalog snapshots and
// calls.
class Tool {
 public:
  // Refuses a bad declaration whole, with the reason: name, description, schemas (compiled here),
  // presets unlike the schema, contradicting flags. `index` is the provider's own number for it;
  // `provider_limits` are bounds that the provider as a whole has (a serial plugin instance).
  static Result<std::shared_ptr<const Tool>> make(Declaration declaration, std::uint32_t index,
                                                  std::vector<Limit> provider_limits = {});

  const Declaration& declared() const { return declared_; }
  const std::string& name() const { return declared_.name; }
  Class tool_class() const { return class_; }
  // What is in force of its own word, where a plugin serves it; standing_of() says it of any
  // provider.
  Reads reads() const { return reads_; }
  std::uint32_t index() const { return index_; }

  const json::schema::Schema& input() const { return *input_; }
  const json::schema::Schema* output() const { return output_ ? &*output_ : nullptr; }
  const json::Value* input_properties() const { return properties_; }  // of the schema, or nullptr
  const json::Value& input_tree() const { return input_tree_.root(); }
  std::string shown_input() const;  // the schema as peers see it: presets taken out
  const json::Value* presets() const { return presets_ ? &presets_->root() : nullptr; }
  bool declares_argument(std::string_view name) const;
  bool requires_argument(std::string_view name) const;

  // What must be free before a call of it may run.
  const std::vector<Limit>& limits() const { return limits_; }
  // SHA-256 of the declaration: an approval is bound to it.
  const std::string& digest() const { return digest_; }
  // The members of its entry in tools/list that are alike in all protocol versions, as JSON text
  // without braces: name, description, inputSchema (presets taken out), annotations, _meta.
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
  std::string listing_;
};

}  // namespace host::tool
