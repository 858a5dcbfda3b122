#include "rest/wire/body.h"

#include <algorithm>
#include <deque>

#include "base/text/nearest.h"
#include "json/depth.h"
#include "json/fault.h"
#include "protocol/message_limits.h"

namespace host::rest {

using json::Value;

struct BodyState {
  json::Document tree;
  std::deque<Members> objects;  // those that were asked for, the root first
  std::optional<Error> fault;   // the first

  void note(Error found) {
    if (!fault) fault = std::move(found);
  }
};

namespace {

std::string_view type_of(const Value& value) {
  if (value.IsNull()) return "null";
  if (value.IsBool()) return "a boolean";
  if (value.IsNumber()) return "a number";
  if (value.IsString()) return "a string";
  return value.IsArray() ? "an array" : "an object";
}

bool is_text(const Value& value) {
  return value.IsString();
}

bool is_object(const Value& value) {
  return value.IsObject();
}

bool is_list_of_texts(const Value& value) {
  if (!value.IsArray()) return false;
  for (const Value& one : value.GetArray()) {
    if (!one.IsString()) return false;
  }
  return true;
}

std::string quoted_words(std::initializer_list<std::string_view> words) {
  std::string out;
  std::size_t left = words.size();
  for (const std::string_view word : words) {
    if (!out.empty()) out += left == 1 ? " or " : ", ";
    out += '"' + std::string(word) + '"';
    --left;
  }
  return out;
}

}  // namespace

std::string Members::pointer_to(std::string_view name) const {
  return json::child_of(pointer_, name);
}

void Members::fault(std::string_view name, std::string_view why) {
  body_.note(json::fault_at(pointer_to(name), why));
}

const Value* Members::find(std::string_view name) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.push_back(name);
  return json::find(object_, name);
}

const Value* Members::find_needed(std::string_view name) {
  const Value* const found = find(name);
  if (!found) fault(name, "is missing");
  return found;
}

template <class IsType>
const Value* Members::of_type(const Value* value, std::string_view name, IsType is_type,
                              std::string_view type) {
  if (!value || is_type(*value)) return value;
  fault(name, "expected " + std::string(type) + ", not " + std::string(type_of(*value)));
  return nullptr;
}

std::string_view Members::text(std::string_view name) {
  const Value* const value = of_type(find_needed(name), name, is_text, "a string");
  return value ? json::text(*value) : std::string_view();
}

std::optional<std::string_view> Members::text_if(std::string_view name) {
  const Value* const value = of_type(find(name), name, is_text, "a string");
  return value ? std::optional(json::text(*value)) : std::nullopt;
}

std::string_view Members::word(std::string_view name,
                               std::initializer_list<std::string_view> words) {
  const std::string expected = quoted_words(words);
  const Value* const value = of_type(find_needed(name), name, is_text, expected);
  if (!value) return {};
  const std::string_view given = json::text(*value);
  for (const std::string_view word : words) {
    if (word == given) return given;
  }
  fault(name, "expected " + expected + ", not \"" + std::string(given.substr(0, 80)) + "\"");
  return {};
}

std::optional<std::uint64_t> Members::number_if(std::string_view name) {
  const auto is_number = [](const Value& value) { return value.IsUint64(); };
  const Value* const value = of_type(find(name), name, is_number, "a whole number, 0 or more");
  return value ? std::optional<std::uint64_t>(value->GetUint64()) : std::nullopt;
}

std::optional<bool> Members::flag_if(std::string_view name) {
  const auto is_flag = [](const Value& value) { return value.IsBool(); };
  const Value* const value = of_type(find(name), name, is_flag, "true or false");
  return value ? std::optional(value->GetBool()) : std::nullopt;
}

std::optional<std::vector<std::string>> Members::texts_if(std::string_view name) {
  const Value* const value = of_type(find(name), name, is_list_of_texts, "an array of strings");
  if (!value) return std::nullopt;
  std::vector<std::string> texts;
  for (const Value& one : value->GetArray()) texts.emplace_back(json::text(one));
  return texts;
}

const Value* Members::any_if(std::string_view name) {
  return find(name);
}

const Value* Members::object(std::string_view name) {
  return of_type(find_needed(name), name, is_object, "an object");
}

const Value* Members::object_if(std::string_view name) {
  return of_type(find(name), name, is_object, "an object");
}

Members* Members::members(std::string_view name) {
  const Value* const value = object(name);
  return value ? &body_.objects.emplace_back(Members(body_, pointer_to(name), *value)) : nullptr;
}

Members* Members::members_if(std::string_view name) {
  const Value* const value = object_if(name);
  return value ? &body_.objects.emplace_back(Members(body_, pointer_to(name), *value)) : nullptr;
}

Result<void> Members::unknown() const {
  for (const auto& member : object_.GetObject()) {
    const std::string_view name = json::text(member.name);
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const bool is_long = name.size() > 80;
    return json::fault_at(is_long ? pointer_ : pointer_to(name),
                          "unknown member: " + suggest(name.substr(0, 80), known_));
  }
  return {};
}

Body::Body(std::unique_ptr<BodyState> state) : state_(std::move(state)) {}
Body::Body(Body&&) noexcept = default;
Body& Body::operator=(Body&&) noexcept = default;
Body::~Body() = default;

Result<Body> Body::read(const transport::HttpRequest& http, std::size_t most_bytes) {
  const std::string_view text = http.body();
  if (text.size() > most_bytes) {
    return json::fault_at({}, "the body has " + std::to_string(text.size()) +
                                  " bytes: the limit of this route is " +
                                  std::to_string(most_bytes));
  }
  json::Limits limits;
  limits.depth = json::kMostDepth;  // what the settings allow was checked for all routes
  limits.nodes = protocol::kMostValues;
  auto tree = json::parse(text, limits);
  if (!tree) return json::fault_at({}, "the body is not valid JSON: " + tree.error().message);
  if (!tree->root().IsObject()) {
    return json::fault_at(
        {}, "the body: expected an object, not " + std::string(type_of(tree->root())));
  }
  auto state = std::make_unique<BodyState>();
  state->tree = *std::move(tree);
  state->objects.push_back(Members(*state, {}, state->tree.root()));
  return Body(std::move(state));
}

Members& Body::root() const {
  return state_->objects.front();
}

Result<void> Body::end() const {
  if (state_->fault) return *state_->fault;
  for (const Members& object : state_->objects) HOST_TRY(object.unknown());
  return {};
}

}  // namespace host::rest
