#include "json/schema/run.h"

#include <algorithm>
#include <chrono>

#include "json/schema/time_budget.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

constexpr std::chrono::milliseconds kMaxCpuTime{100};

}  // namespace

std::string Place::pointer() const {
  if (parent == nullptr) return {};
  const std::string token =
      parent->value.IsArray() ? std::to_string(index) : escape_pointer_token(name);
  return parent->pointer() + '/' + token;
}

void Evaluated::mark(std::size_t index) {
  const std::size_t word = index / kWordBits;
  const std::uint64_t bit = std::uint64_t{1} << (index % kWordBits);
  if (word < words_.size()) {
    words_[word] |= bit;
    return;
  }
  if (more_.size() <= word - words_.size()) more_.resize(word - words_.size() + 1);
  more_[word - words_.size()] |= bit;
}

bool Evaluated::has(std::size_t index) const {
  if (all_) return true;
  const std::size_t word = index / kWordBits;
  const std::uint64_t bit = std::uint64_t{1} << (index % kWordBits);
  if (word < words_.size()) return (words_[word] & bit) != 0;
  return word - words_.size() < more_.size() && (more_[word - words_.size()] & bit) != 0;
}

void Evaluated::merge(const Evaluated& other) {
  all_ = all_ || other.all_;
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  if (more_.size() < other.more_.size()) more_.resize(other.more_.size());
  for (std::size_t i = 0; i < other.more_.size(); ++i) more_[i] |= other.more_[i];
}

bool Run::check(NodeId id, const Place& place, Evaluated* evaluated) {
  const Node& node = program_.nodes[id];
  if (node.kind == Node::Kind::AcceptAll) return true;
  if (!spend(1)) return false;
  if (node.kind == Node::Kind::RefuseAll) {
    if (reporting()) add(id, place, "", "no value is allowed here");
    return false;
  }
  const Types type = type_of(place.value);
  if (!check_types(node, id, place, type) && !reporting()) return false;
  if (node.steps.empty()) return (node.types & type) != 0;
  if (depth_ == kMaxDepth) return exhaust("the schema leads too deep for this value");
  const Scope here{node.resource, scope_};
  const bool enters = scope_ == nullptr || scope_->resource != node.resource;
  if (enters) scope_ = &here;
  ++depth_;
  bool good = (node.types & type) != 0;
  if (node.tracks) {
    Evaluated own;
    good = check_rules(node, type, place, &own) && good;
    if (good && evaluated != nullptr) evaluated->merge(own);
  } else {
    good = check_rules(node, type, place, evaluated) && good;
  }
  --depth_;
  if (enters) scope_ = here.outer;
  return good;
}

bool Run::check_types(const Node& node, NodeId id, const Place& place, Types type) {
  if ((node.types & type) != 0) return true;
  if (reporting() && exhausted_.empty()) {
    add(id, place, "type",
        "expected " + describe_types(node.types) + ", got " + describe_value(place.value));
  }
  return false;
}

bool Run::check_rules(const Node& node, Types type, const Place& place, Evaluated* evaluated) {
  bool good = true;
  for (const Step& step : node.steps) {
    if ((step.applies & type) == 0 || step.rule->check(*this, place, evaluated)) continue;
    good = false;
    if (!reporting() || !exhausted_.empty()) break;
  }
  return good;
}

bool Run::check_quietly(NodeId node, const Place& place, Evaluated* evaluated) {
  std::vector<Violation>* const report = std::exchange(report_, nullptr);
  const bool good = check(node, place, evaluated);
  report_ = report;
  return good;
}

std::string Run::first_problem(NodeId node, const Place& place) {
  std::vector<Violation> found;
  std::vector<Violation>* const report = std::exchange(report_, &found);
  const std::size_t room = std::exchange(room_, 1);
  check(node, place, nullptr);
  report_ = report;
  room_ = room;
  if (found.empty()) return {};
  const std::string here = place.pointer();
  if (found[0].instance == here) return found[0].message;
  return found[0].instance.substr(here.size()) + ": " + found[0].message;
}

NodeId Run::dynamic_target(std::uint32_t name, NodeId otherwise) const {
  NodeId target = otherwise;
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    for (const DynamicAnchor& anchor : program_.dynamic_anchors) {
      if (anchor.resource == scope->resource && anchor.name == name) target = anchor.node;
    }
  }
  return target;
}

bool Run::exhaust(std::string_view why) {
  if (exhausted_.empty()) exhausted_ = why;
  steps_left_ = 0;
  return false;
}

bool Run::time_left() {
  if (!exhausted_.empty()) return false;
  const std::chrono::nanoseconds now = thread_cpu_time();
  if (!cpu_until_) cpu_until_ = now + kMaxCpuTime;
  if (now > *cpu_until_) return exhaust("the patterns take too long on this value");
  return true;
}

void Run::add(NodeId node, const Place& place, std::string_view keyword, std::string message) {
  std::string schema = program_.nodes[node].pointer;
  if (!keyword.empty()) schema.append("/").append(escape_pointer_token(keyword));
  report_->push_back(
      Violation{place.pointer(), std::move(schema), std::string(keyword), std::move(message)});
}

}  // namespace host::json::schema
