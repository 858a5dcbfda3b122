// Takes a tree into structs by the table of keys and reports all that does not fit.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys.h"
#include "config/node.h"
#include "config/path.h"

namespace host::config {

// Of two keys of one section, where trust_contradicts().
inline constexpr const char* kTrustContradiction = "trust_read_only says something else";

// Where faults are reported to: knows the file's name and its lines.
class Report {
 public:
  // The first is how the file is called; an environment variable has no text.
  Report(std::string file, std::string_view text, std::vector<Diagnostic>& out);

  void error(Position at, std::string code, std::string message, std::string help = {});
  // A place in it, of which there is nothing to say yet.
  Diagnostic place(Position at) const;
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::vector<std::string_view> lines_;
  std::vector<Diagnostic>& out_;
};

class Reader {
 public:
  Reader(Report& report, PathBase base) : report_(report), base_(std::move(base)) {}

  void read(const Node& root, Config& into);
  // One key alone, as an environment variable has it. `where` as in messages: "[server]".
  void read_key(const Node& value, const Key& key, std::string_view where);

 private:
  void read_section(const Node& table, const std::vector<Key>& keys, const std::string& where,
                    std::string_view also_known = {});
  void read_plugins(const Node& table, Config& into);
  void read_plugin(const Member& member, Plugin& into);
  void read_tools(const Node& table, const std::string& where, Plugin& into);
  void read_agents(const Node& table, Config& into);
  void check_agents(const Node& table, const Config& config);
  void read_rules(const Node& list, const std::string& where, std::vector<Rule>& into);
  void read_groups(const Node& list, Config& into);
  bool expect(const Node& value, Node::Kind kind, const std::string& where,
              std::string_view example);

  Report& report_;
  PathBase base_;
};

// What may stand right of the key's `=`, in words.
std::string expectation(const Key& key);

}  // namespace host::config
