#include "tool/definition/tool.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/digest.h"
#include "tool/definition/declared_text.h"
#include "tool/definition/input_rules.h"

namespace host::tool {
namespace {

constexpr std::string_view kInputUri = "toolpost:input-schema";

Error invalid(const Declaration& declaration, std::string_view why) {
  return Error{ErrorKind::InvalidArgument,
               "tool \"" + declaration.name + "\": " + std::string(why)};
}

Result<void> check_words(const Declaration& declaration) {
  if (!is_plain_name(declaration.name)) {
    return Error{ErrorKind::InvalidArgument, "a tool's name must be " +
                                                 std::string(kPlainNameForm) + ": rename " +
                                                 quoted_name(declaration.name)};
  }
  if (!declaration.group.empty() && !is_plain_name(declaration.group)) {
    return invalid(declaration, "its group must be " + std::string(kPlainNameForm) + ": rename " +
                                    quoted_name(declaration.group));
  }
  if (!declaration.exclusive.empty() && !is_shown_name(declaration.exclusive)) {
    return invalid(declaration, "its name of what it needs exclusively has hidden characters or " +
                                    std::string("is too long: rename ") +
                                    quoted_name(declaration.exclusive));
  }
  if (declaration.description.find_first_not_of(" \t\r\n") == std::string::npos) {
    return invalid(declaration, "has no description: the model decides by it");
  }
  if (!declaration.after.empty() && classify(declaration.name) != Class::Post) {
    return invalid(declaration, "only a post_ tool may say what it comes after");
  }
  return {};
}

// The texts as clients are shown them.
Result<void> show_texts(Declaration& declaration) {
  const std::string tool = "tool \"" + declaration.name + "\": ";
  HOST_TRY_ASSIGN(declaration.title, short_line(tool + "its title", declaration.title));
  HOST_TRY_ASSIGN(declaration.description,
                  short_text(tool + "its description", declaration.description));
  for (std::string* const schema : {&declaration.input_schema, &declaration.output_schema}) {
    auto shown = shown_schema_text(*schema);
    if (!shown) {
      const bool input = schema == &declaration.input_schema;
      return shown.error().within(tool + (input ? "its input schema" : "its output schema"));
    }
    *schema = *std::move(shown);
  }
  return {};
}

// The schema as a tree, sure to describe an object.
Result<json::Document> object_schema(const Declaration& declaration) {
  auto tree = json::parse(declaration.input_schema);
  if (!tree) return invalid(declaration, "its input schema is no JSON: " + tree.error().message);
  const json::Value& root = tree->root();
  if (!root.IsObject() || json::find_text(root, "type") != "object") {
    return invalid(declaration, "its input schema must have \"type\": \"object\"");
  }
  const json::Value* properties = json::find(root, "properties");
  if (properties && !properties->IsObject())
    return invalid(declaration, "\"properties\" of its input schema is no object");
  return tree;
}

Result<json::Document> parse_presets(const Declaration& declaration,
                                     const json::Value* properties) {
  auto presets = json::parse(declaration.presets);
  if (!presets || !presets->root().IsObject())
    return invalid(declaration, "its presets are no JSON object");
  for (const auto& member : presets->root().GetObject()) {
    if (!properties || !json::find(*properties, json::text(member.name))) {
      return invalid(declaration, "it presets \"" + std::string(json::text(member.name)) +
                                      "\", which its input schema does not declare");
    }
  }
  return presets;
}

void append_member(std::string& out, std::string_view key, std::string_view json) {
  if (!out.empty()) out += ',';
  json::write_string(key, out);
  out += ':';
  out += json;
}

std::string quoted(std::string_view text) {
  std::string out;
  json::write_string(text, out);
  return out;
}

void append_percent_encoded(char c, std::string& out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  if (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos) {
    out += c;
  } else {
    out.append({'%', kDigits[byte >> 4u], kDigits[byte & 15u]});
  }
}

// A schema of which only the properties' own rules are left. What `if`, `allOf` or `required` say
// may depend on arguments that come with a call.
std::string rules_of_properties(const json::Value& input, const json::Value& presets) {
  std::string members;
  for (const auto& preset : presets.GetObject()) {
    const std::string_view name = json::text(preset.name);
    std::string reference = std::string(kInputUri) + "#/properties/";
    for (const char c : json::escape_pointer_token(name)) append_percent_encoded(c, reference);
    append_member(members, name, "{\"$ref\":" + quoted(reference) + "}");
  }
  std::string rules;
  if (const json::Value* dialect = json::find(input, "$schema"))
    append_member(rules, "$schema", json::write(*dialect));
  append_member(rules, "properties", "{" + members + "}");
  return "{" + rules + "}";
}

// No call could run with a preset that its own schema refuses.
Result<void> check_presets(const Declaration& declaration, const json::Document& input,
                           const json::Value& presets) {
  json::schema::Options options;
  options.resolve = [&input](std::string_view uri) {
    return uri == kInputUri ? &input.root() : nullptr;
  };
  HOST_TRY_ASSIGN(
      const json::schema::Schema schema,
      json::schema::Schema::compile(rules_of_properties(input.root(), presets), options));
  std::vector<json::schema::Violation> violations;
  if (schema.validate(presets, violations)) return {};
  std::string why = "its presets do not fit its input schema";
  for (const auto& one : violations)
    why += (&one == violations.data() ? ": " : "; ") + one.describe();
  return invalid(declaration, why);
}

Result<json::schema::Schema> compile(const Declaration& declaration, std::string_view which,
                                     std::string_view text) {
  auto schema = json::schema::Schema::compile(text);
  if (!schema)
    return invalid(declaration, "its " + std::string(which) + " schema: " + schema.error().message);
  return schema;
}

// The schema as the model sees it: without the arguments that are fixed.
std::string shown_text(const json::Value& schema, const json::Value* presets) {
  return json::write(presets ? shown_schema(schema, *presets).root() : schema);
}

std::string_view truth(bool value) {
  return value ? "true" : "false";
}

std::string annotations_of(const Declaration& declared, Reads reads) {
  const bool reads_only = reads == Reads::Always;
  std::string out;
  append_member(out, "readOnlyHint", truth(reads_only));
  if (!reads_only) {
    append_member(out, "destructiveHint", truth(declared.destructive));
    append_member(out, "idempotentHint", truth(declared.idempotent));
  }
  append_member(out, "openWorldHint", truth(declared.open_world));
  return "{" + out + "}";
}

std::string meta_of(const Declaration& declared, Class tool_class) {
  std::string out;
  append_member(out, "io.toolpost/class", quoted(to_string(tool_class)));
  if (declared.strict) append_member(out, "io.toolpost/strict", truth(*declared.strict));
  if (declared.external) append_member(out, "io.toolpost/external", "true");
  if (!declared.group.empty()) append_member(out, "io.toolpost/group", quoted(declared.group));
  if (!declared.meta.empty()) out += "," + declared.meta;
  return "{" + out + "}";
}

std::vector<Limit> limits_of(const Declaration& declared, std::vector<Limit> limits) {
  if (!declared.concurrency_safe) limits.push_back({"tool:" + declared.name, 1});
  if (!declared.exclusive.empty()) limits.push_back({"exclusive:" + declared.exclusive, 1});
  if (declared.max_inflight > 0)
    limits.push_back({"inflight:" + declared.name, declared.max_inflight});
  return limits;
}

std::string digest_of(const Declaration& d) {
  std::string all;
  const auto add = [&](std::string_view text) {
    all.append(std::to_string(text.size())).append(":").append(text);
  };
  for (const std::string* text :
       {&d.name, &d.title, &d.description, &d.input_schema, &d.output_schema, &d.presets, &d.icons,
        &d.exclusive, &d.group, &d.command_arg}) {
    add(*text);
  }
  for (const auto* list : {&d.dangerous_paths, &d.path_args, &d.after}) {
    add(std::to_string(list->size()));
    for (const std::string& item : *list) add(item);
  }
  for (const bool flag :
       {d.read_only, d.concurrency_safe, d.external, d.state_injected, d.destructive, d.idempotent,
        d.open_world, d.asks_first, d.has_check_permissions, d.has_match_rule,
        d.has_check_read_only, d.may_only_read}) {
    add(truth(flag));
  }
  for (const std::string& name : d.withheld) add("withheld:" + name);
  if (!d.whole_definition.empty()) add("definition:" + d.whole_definition);
  if (!d.meta.empty()) add("meta:" + d.meta);
  add(std::to_string(static_cast<int>(d.tasks)));
  add(to_string(d.trust));
  add(d.strict ? truth(*d.strict) : "unset");
  return to_hex(sha256(all));
}

}  // namespace

Result<std::shared_ptr<const Tool>> Tool::make(Declaration declaration, std::uint32_t index,
                                               std::vector<Limit> provider_limits) {
  HOST_TRY(check_words(declaration));
  HOST_TRY(show_texts(declaration));
  std::shared_ptr<Tool> tool(new Tool);
  HOST_TRY_ASSIGN(tool->input_tree_, object_schema(declaration));
  tool->properties_ = json::find(tool->input_tree_.root(), "properties");
  if (!declaration.presets.empty()) {
    HOST_TRY_ASSIGN(tool->presets_, parse_presets(declaration, tool->properties_));
  }
  HOST_TRY_ASSIGN(tool->input_, compile(declaration, "input", declaration.input_schema));
  if (tool->presets_) {
    HOST_TRY(check_presets(declaration, tool->input_tree_, tool->presets_->root()));
  }
  if (!declaration.output_schema.empty()) {
    HOST_TRY_ASSIGN(tool->output_, compile(declaration, "output", declaration.output_schema));
    HOST_TRY_ASSIGN(const json::Document output, json::parse(declaration.output_schema));
    declaration.output_schema = json::write(output.root());  // one line, as stdio wants it
  }
  if (!declaration.icons.empty()) {
    const auto icons = json::parse(declaration.icons);
    if (!icons || !icons->root().IsArray())
      return invalid(declaration, "its icons are no JSON array");
    declaration.icons = json::write(icons->root());
  }
  tool->class_ = classify(declaration.name);
  tool->reads_ = standing_of(declaration, ProviderIdentity::Kind::Plugin).reads;
  tool->index_ = index;
  tool->limits_ = limits_of(declaration, std::move(provider_limits));
  tool->digest_ = tool->source_digest_ = digest_of(declaration);
  std::string& listing = tool->listing_;
  append_member(listing, "name", quoted(declaration.name));
  append_member(listing, "description", quoted(declaration.description));
  append_member(listing, "inputSchema", shown_text(tool->input_tree_.root(), tool->presets()));
  append_member(listing, "annotations", annotations_of(declaration, tool->reads_));
  append_member(listing, "_meta", meta_of(declaration, tool->class_));
  tool->declared_ = std::move(declaration);
  return std::shared_ptr<const Tool>(std::move(tool));
}

Result<std::shared_ptr<const Tool>> Tool::with_presets(std::string presets) const {
  Declaration declaration = declared_;
  declaration.presets = std::move(presets);
  HOST_TRY_ASSIGN(const std::shared_ptr<const Tool> made, make(std::move(declaration), index_));
  std::shared_ptr<Tool> tool = std::const_pointer_cast<Tool>(made);  // nobody else has it yet
  tool->limits_ = limits_;
  tool->source_digest_ = source_digest_;
  return std::shared_ptr<const Tool>(std::move(tool));
}

std::string Tool::shown_input() const {
  return shown_text(input_tree_.root(), presets());
}

bool Tool::declares_argument(std::string_view name) const {
  return properties_ && json::find(*properties_, name);
}

bool Tool::requires_argument(std::string_view name) const {
  const json::Value* required = json::find(input_tree_.root(), "required");
  if (!required || !required->IsArray()) return false;
  return std::any_of(required->Begin(), required->End(),
                     [&](const json::Value& item) { return json::text(item) == name; });
}

}  // namespace host::tool
