// A run is one validation: it checks an instance with a compiled schema (Program), within a budget
// of steps and time.
//
// The first pass of a validation writes no messages and stops at the first violation. If the first
// pass finds a violation, a second pass checks all rules and writes a message for each violation.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/schema/program.h"

namespace host::json::schema {

// A Place is a value of the instance, and the path from the instance's root to this value. A
// function that checks the members or elements of a value makes a Place for each member or element,
// on its own stack. A Place is valid until the function that made it returns.
struct Place {
  const Value& value;
  const Place* parent = nullptr;
  std::string_view name = {};  // the member's name, if the parent is an object
  std::size_t index = 0;       // the element's index, if the parent is an array

  std::string pointer() const;
};

// Returns the text of a value that is a string. name_of() does not check the type of the value,
// unlike text().
inline std::string_view name_of(const Value& name) {
  return {name.GetString(), name.GetStringLength()};
}

inline Types type_of(const Value& value) {
  constexpr std::array<Types, 7> kTypes = {kNull,  kBoolean, kBoolean, kObject,
                                           kArray, kString,  kInteger};  // index: rapidjson::Type
  if (!value.IsDouble()) return kTypes[static_cast<std::size_t>(value.GetType())];
  return std::trunc(value.GetDouble()) == value.GetDouble() ? kInteger : kFraction;
}

// The class Evaluated contains the members or elements of one instance that a rule has evaluated.
class Evaluated {
 public:
  void mark(std::size_t index);
  void mark_all() { all_ = true; }
  bool has(std::size_t index) const;
  void merge(const Evaluated& other);

 private:
  static constexpr std::size_t kWordBits = 64;

  bool all_ = false;
  std::array<std::uint64_t, 2> words_{};
  std::vector<std::uint64_t> more_;  // the words after those in words_
};

class Run {
 public:
  // kMaxSteps is the maximum number of steps of one validation. A validation takes at most about
  // 100 ms, because a step takes 5 to 25 ns.
  static constexpr std::uint64_t kMaxSteps = 4'000'000;
  static constexpr std::uint32_t kMaxDepth = 600;

  Run(const Program& program, std::vector<Violation>* report, std::size_t room)
      : program_(program), report_(report), room_(room) {}

  bool check(NodeId node, const Place& place, Evaluated* evaluated);
  // Checks a value as check() does, but reports no violations. Rules call check_quietly() for
  // alternatives, such as those of `anyOf`.
  bool check_quietly(NodeId node, const Place& place, Evaluated* evaluated);
  // Returns the first violation of the node's rules at `place`, as a sentence. The text is empty if
  // there is no violation.
  std::string first_problem(NodeId node, const Place& place);
  // Returns the node to which a $dynamicRef leads: the anchor `name` in the outermost schema
  // resource of the dynamic scope. Returns `otherwise` if no schema resource in the dynamic scope
  // has the anchor.
  NodeId dynamic_target(std::uint32_t name, NodeId otherwise) const;

  // Takes `steps` steps from the budget of the validation. Returns false if the budget is
  // exhausted. When the budget is exhausted, every further check of this run fails.
  bool spend(std::uint64_t steps) {
    if (steps > steps_left_) return exhaust("the value needs too many steps to check");
    steps_left_ -= steps;
    return true;
  }
  bool exhaust(std::string_view why);
  std::string_view exhausted() const { return exhausted_; }
  // Returns false if the CPU time of this validation is used up.
  bool time_left();

  bool reporting() const { return report_ != nullptr && report_->size() < room_; }
  // Reports a violation and returns false. fail() calls `message()` only if the run writes
  // messages.
  template <class Message>
  bool fail(const Rule& rule, const Place& place, std::string_view keyword, Message message) {
    if (reporting() && exhausted_.empty()) add(rule.owner(), place, keyword, message());
    return false;
  }
  const Program& program() const { return program_; }

 private:
  struct Scope {
    ResourceId resource;
    const Scope* outer;
  };

  bool check_rules(const Node& node, Types type, const Place& place, Evaluated* evaluated);
  bool check_types(const Node& node, NodeId id, const Place& place, Types type);
  void add(NodeId node, const Place& place, std::string_view keyword, std::string message);

  const Program& program_;
  std::vector<Violation>* report_;
  std::size_t room_;
  std::uint64_t steps_left_ = kMaxSteps;
  std::uint32_t depth_ = 0;
  const Scope* scope_ = nullptr;
  std::string_view exhausted_;
  std::optional<std::chrono::nanoseconds> cpu_until_;  // set when the first pattern runs
};

}  // namespace host::json::schema
