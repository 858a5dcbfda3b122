#include "tool/definition/input_rules.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace host::tool {
namespace {

constexpr int kMaxReferences = 64;  // a chain longer than this goes round in circles

// Members that only the caller gives, in addition to the arguments. A reviewer who writes other
// arguments cannot change them, and must be told so.
constexpr std::string_view kReserved[] = {"attachments"};

bool holds_null(const json::Value& value) {
  if (value.IsNull()) return true;
  if (value.IsObject()) {
    for (const auto& member : value.GetObject()) {
      if (holds_null(member.value)) return true;
    }
  } else if (value.IsArray()) {
    for (const auto& item : value.GetArray()) {
      if (holds_null(item)) return true;
    }
  }
  return false;
}

// Says whether a schema allows null, by its keywords for types and values. Each part of the schema
// is looked up once, and so are the references of each part.
class NullRules {
 public:
  explicit NullRules(const json::Value& root_schema) : root_(root_schema) {}

  // True if the schema names null, so that null is a value of its own there.
  // Many nulls can have one schema, and its references can lead a long way.
  bool names_null(const json::Value& schema) {
    const auto [known, is_new] = named_.try_emplace(&schema, false);
    if (is_new) known->second = ask(schema, 0) == Null::Named;
    return known->second;
  }

  const json::Value* follow_references(const json::Value& schema) {
    const json::Value* at = &schema;
    for (int i = 0; at && i < kMaxReferences; ++i) {
      const std::string_view reference = json::find_text(*at, "$ref");
      if (!reference.starts_with('#')) return at;
      at = target_of(reference);
    }
    return nullptr;
  }

 private:
  enum class Null { Refused, Open, Named };

  // Most references lead into `$defs`, which can have thousands of members.
  const json::Value* target_of(std::string_view reference) {
    constexpr std::string_view kInDefs = "#/$defs/";
    const auto [known, is_new] = targets_.try_emplace(reference, nullptr);
    if (!is_new) return known->second;
    const bool is_plain = reference.starts_with(kInDefs) &&
                          reference.find_first_of("/~%", kInDefs.size()) == reference.npos;
    if (!is_plain) return known->second = json::at(root_, reference.substr(1));
    if (!defs_) {
      defs_.emplace();
      const json::Value* const defs = json::find(root_, "$defs");
      if (defs && defs->IsObject()) {
        for (const auto& one : defs->GetObject()) defs_->emplace(json::text(one.name), &one.value);
      }
    }
    const auto def = defs_->find(reference.substr(kInDefs.size()));
    return known->second = def == defs_->end() ? nullptr : def->second;
  }

  // A schema that refers to itself is open within itself.
  Null ask(const json::Value& schema, int depth) {
    const json::Value* const at = follow_references(schema);
    if (at && at->IsFalse()) return Null::Refused;
    if (!at || !at->IsObject() || depth == kMaxReferences) return Null::Open;
    const auto [known, is_new] = answers_.try_emplace(at, Null::Open);
    if (!is_new) return known->second;
    const Null answer = read(*at, depth);
    answers_[at] = answer;
    return answer;
  }

  Null read(const json::Value& schema, int depth) {
    Null out = Null::Open;
    for (const auto& member : schema.GetObject()) {
      const Null rule = of_keyword(json::text(member.name), member.value, depth);
      if (rule == Null::Refused) return rule;
      if (rule == Null::Named) out = rule;
    }
    return out;
  }

  Null of_keyword(std::string_view keyword, const json::Value& value, int depth) {
    if (keyword == "type") {
      return named_if(value, [](const json::Value& one) {
        return one.IsString() && json::text(one) == "null";
      });
    }
    if (keyword == "enum")
      return named_if(value, [](const json::Value& one) { return one.IsNull(); });
    if (keyword == "const") return value.IsNull() ? Null::Named : Null::Refused;
    if (!value.IsArray()) return Null::Open;
    if (keyword == "anyOf" || keyword == "oneOf") return of_any(value, depth);
    return keyword == "allOf" ? of_all(value, depth) : Null::Open;
  }

  template <class Test>
  static Null named_if(const json::Value& values, Test test) {
    if (!values.IsArray()) return test(values) ? Null::Named : Null::Refused;
    return std::any_of(values.Begin(), values.End(), test) ? Null::Named : Null::Refused;
  }

  Null of_any(const json::Value& schemas, int depth) {
    Null out = Null::Refused;
    for (const auto& one : schemas.GetArray()) out = std::max(out, ask(one, depth + 1));
    return out;
  }

  Null of_all(const json::Value& schemas, int depth) {
    Null out = Null::Open;
    for (const auto& one : schemas.GetArray()) {
      const Null rule = ask(one, depth + 1);
      if (rule == Null::Refused) return rule;
      out = std::max(out, rule);
    }
    return out;
  }

  const json::Value& root_;
  std::unordered_map<std::string_view, const json::Value*> targets_;  // by the reference's text
  std::optional<std::unordered_map<std::string_view, const json::Value*>> defs_;  // of root_
  std::unordered_map<const json::Value*, bool> named_;    // by the schema, before its references
  std::unordered_map<const json::Value*, Null> answers_;  // by the schema behind its references
};

// Drops optional nulls by one schema. Arguments and schema can both be a client's own and large, so
// each part of the schema is looked up once: the time grows with their sizes, not with the product.
class NullDrop {
 public:
  explicit NullDrop(const json::Value& root_schema) : rules_(root_schema) {}

  void drop(json::Value& value, const json::Value& schema) {
    if (!value.IsObject() && !value.IsArray()) return;
    const Part& part = part_of(schema);
    if (value.IsObject() && part.is_object) {
      drop_in_object(value, part);
    } else if (value.IsArray() && part.items) {
      for (auto& item : value.GetArray()) drop(item, *part.items);
    }
  }

 private:
  // What a schema says, behind its references.
  struct Part {
    bool is_object = false;  // false: `true`, `false`, or a reference that leads nowhere
    std::unordered_map<std::string_view, const json::Value*> properties;
    std::unordered_set<std::string_view> required;
    const json::Value* additional = nullptr;
    const json::Value* items = nullptr;
  };

  const Part& part_of(const json::Value& schema) {
    const auto [known, is_new] = parts_.try_emplace(&schema);
    if (is_new) known->second = read(schema);
    return *known->second;
  }

  // The parts of schemas that refer to the same one are shared.
  std::shared_ptr<const Part> read(const json::Value& schema) {
    const json::Value* const at = rules_.follow_references(schema);
    if (!at || !at->IsObject()) return std::make_shared<Part>();
    std::shared_ptr<const Part>& known = read_[at];
    if (known) return known;
    auto part = std::make_shared<Part>();
    part->is_object = true;
    part->additional = json::find(*at, "additionalProperties");
    part->items = json::find(*at, "items");
    const json::Value* const properties = json::find(*at, "properties");
    if (properties && properties->IsObject()) {
      for (const auto& one : properties->GetObject())
        part->properties.emplace(json::text(one.name), &one.value);
    }
    const json::Value* const required = json::find(*at, "required");
    if (required && required->IsArray()) {
      for (const auto& name : required->GetArray()) part->required.insert(json::text(name));
    }
    return known = std::move(part);
  }

  // Members that stay move up, and all that are dropped are erased at the end.
  void drop_in_object(json::Value& object, const Part& part) {
    auto kept = object.MemberBegin();
    for (auto member = object.MemberBegin(); member != object.MemberEnd(); ++member) {
      const std::string_view name = json::text(member->name);
      const auto found = part.properties.find(name);
      const bool is_declared = found != part.properties.end();
      const bool is_optional = is_declared && !part.required.contains(name);
      if (member->value.IsNull() && is_optional && !rules_.names_null(*found->second)) continue;
      const json::Value* const inner = is_declared ? found->second : part.additional;
      if (inner) drop(member->value, *inner);
      if (kept != member) {
        kept->name.Swap(member->name);
        kept->value.Swap(member->value);
      }
      ++kept;
    }
    if (kept != object.MemberEnd()) object.EraseMember(kept, object.MemberEnd());
  }

  NullRules rules_;
  std::unordered_map<const json::Value*, std::shared_ptr<const Part>> parts_;  // by the reference
  std::unordered_map<const json::Value*, std::shared_ptr<const Part>> read_;   // by its target
};

using json::schema::Violation;
using Violations = std::vector<Violation>;

// Messages show at least so many bytes of a name.
constexpr std::size_t kShownOfName = 32;

std::string pointer_to(const json::Value& name) {
  return "/" + json::escape_pointer_token(json::text(name));
}

// Faults within a combinator, such as `anyOf`, are written as "/name: expected ...".
bool mentions_preset(const std::string& message, const json::Value& presets) {
  const std::string words = " " + message;
  const auto has = [&](const std::string& part) { return words.find(part) != std::string::npos; };
  for (const auto& preset : presets.GetObject()) {
    std::string quoted;
    json::write_string(json::text(preset.name), quoted);
    const std::string pointer = " " + pointer_to(preset.name);
    if (has(quoted.substr(0, kShownOfName)) || has(pointer + ":") || has(pointer + "/"))
      return true;
  }
  return false;
}

bool is_at_preset(const Violation& fault, const json::Value& presets) {
  for (const auto& preset : presets.GetObject()) {
    const std::string pointer = pointer_to(preset.name);
    if (fault.instance == pointer || fault.instance.starts_with(pointer + "/")) return true;
  }
  return false;
}

// Returns true if both are of the same rule at the same place.
bool are_alike(const Violation& one, const Violation& other) {
  return one.instance == other.instance && one.schema == other.schema;
}

bool has_alike(const Violations& all, const Violation& fault) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Violation& one) { return are_alike(one, fault); });
}

// Returns true if `seen`, a fault without the presets, is true of the arguments of the tool too.
// With the presets, other forms may fit.
bool is_true(const Violation& seen, const Violations& faults) {
  const bool is_of_forms = seen.keyword == "anyOf" || seen.keyword == "oneOf";
  return std::any_of(faults.begin(), faults.end(), [&](const Violation& fault) {
    return are_alike(seen, fault) && (!is_of_forms || seen.message == fault.message);
  });
}

// The faults that a client sees, who knows neither the presets nor their names. Rules that demand a
// preset have faults here that the arguments of the tool do not have.
Violations faults_without_presets(const json::Value& arguments, const InputRules& rules) {
  json::Document shown;
  shown.root() = json::copy(arguments, shown.allocator());
  for (const auto& preset : rules.presets->GetObject()) shown.root().RemoveMember(preset.name);
  // A schema that refers to the declaration of a preset is no schema without it.
  const auto schema =
      json::schema::Schema::compile(shown_schema(rules.tree, *rules.presets).root());
  Violations faults;
  (schema ? *schema : rules.schema).validate(shown.root(), faults);
  // Below the root, the schema that clients see has no name of a preset, only equal names.
  std::erase_if(faults, [&](const Violation& fault) {
    return (fault.instance.empty() || !schema) && mentions_preset(fault.message, *rules.presets);
  });
  return faults;
}

// Messages of these rules show names alone. A fault without a rule says only that nothing is
// allowed, or that the check costs too much.
bool shows_no_values(const Violation& fault) {
  return fault.keyword.empty() || fault.keyword == "required" ||
         fault.keyword == "additionalProperties";
}

// Returns true for a fault that may be one of the presets, or may show them. The root contains the
// presets.
bool may_show_presets(const Violation& fault, const json::Value& presets) {
  return (fault.instance.empty() && !shows_no_values(fault)) || is_at_preset(fault, presets) ||
         mentions_preset(fault.message, presets);
}

Violation without_details(const Violation& fault) {
  const std::string rule = fault.keyword.empty() ? "" : "the rule \"" + fault.keyword + "\" of ";
  return {"", fault.schema, fault.keyword, "the arguments do not follow " + rule + "the schema"};
}

// Tells what is wrong with the arguments, as far as this is no matter of the presets.
std::string faults_beside_presets(const json::Value& arguments, const InputRules& rules,
                                  const Violations& faults) {
  Violations told = faults_without_presets(arguments, rules);
  std::erase_if(told, [&](const Violation& seen) { return !is_true(seen, faults); });
  for (const Violation& fault : faults) {
    if (has_alike(told, fault)) continue;
    told.push_back(may_show_presets(fault, *rules.presets) ? without_details(fault) : fault);
  }
  return json::schema::describe(told);
}

}  // namespace

json::Document shown_schema(const json::Value& tree, const json::Value& presets) {
  json::Document shown;
  shown.root() = json::copy(tree, shown.allocator());
  json::Value& root = shown.root();
  if (json::Value* properties = json::find(root, "properties")) {
    for (const auto& preset : presets.GetObject()) properties->RemoveMember(preset.name);
  }
  if (json::Value* required = json::find(root, "required"); required && required->IsArray()) {
    for (auto item = required->Begin(); item != required->End();) {
      const bool fixed = item->IsString() && json::find(presets, json::text(*item));
      item = fixed ? required->Erase(item) : item + 1;
    }
    if (required->Empty()) root.RemoveMember("required");
  }
  return shown;
}

void drop_optional_nulls(json::Value& value, const json::Value& schema,
                         const json::Value& root_schema) {
  NullDrop(root_schema).drop(value, schema);
}

std::optional<std::string> reserved_member(const json::Value& arguments,
                                           const json::Value* properties) {
  for (const std::string_view name : kReserved) {
    const bool declared = properties && json::find(*properties, name);
    if (json::find(arguments, name) && !declared) {
      return "/" + std::string(name) + ": only the caller can give " + std::string(name) +
             "; they stay as they are. Leave it out";
    }
  }
  return std::nullopt;
}

void set_presets(json::Document& arguments, const json::Value* presets) {
  if (!presets) return;
  for (const auto& preset : presets->GetObject()) {
    json::Value copy(preset.value, arguments.allocator());
    json::set(arguments.root(), json::text(preset.name), std::move(copy), arguments.allocator());
  }
}

std::optional<std::string> fit(json::Document& arguments, const InputRules& rules) {
  json::Value& root = arguments.root();
  if (holds_null(root)) drop_optional_nulls(root, rules.tree, rules.tree);
  set_presets(arguments, rules.presets);
  Violations violations;
  if (rules.schema.validate(root, violations)) return std::nullopt;
  return rules.presets ? faults_beside_presets(root, rules, violations)
                       : json::schema::describe(violations);
}

}  // namespace host::tool
