#include "upstream/openapi/parameters.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text/letters.h"
#include "json/excerpt.h"
#include "json/object_text.h"
#include "tool/definition/declared_text.h"
#include "upstream/openapi/overrides.h"

namespace host::upstream::openapi {
namespace {

constexpr std::size_t kMostInputs = 200;
constexpr std::size_t kMostSchemaBytes = 200u << 10u;  // of one operation
constexpr std::size_t kMostNameBytes = 128;
constexpr std::size_t kMostArgumentBytes = 64;

// The specification gives these to the body, the response and the security schemes.
constexpr std::string_view kNoParameters[] = {"accept", "authorization", "content-type"};
constexpr std::string_view kOfConnection[] = {"accept-encoding",
                                              "connection",
                                              "content-length",
                                              "cookie",
                                              "expect",
                                              "host",
                                              "keep-alive",
                                              "te",
                                              "trailer",
                                              "transfer-encoding",
                                              "proxy-authorization",
                                              "proxy-connection",
                                              "upgrade"};

template <std::size_t N>
bool is_one(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

Error dropped(std::string why) {
  return Error{ErrorKind::InvalidArgument, std::move(why)};
}

std::string shown_parameter(std::string_view name) {
  return tool::quoted_name(json::excerpt(name, 64));
}

bool truth_of(const json::Value& object, std::string_view key, bool otherwise) {
  const json::Value* const found = json::find(object, key);
  return found && found->IsBool() ? found->GetBool() : otherwise;
}

bool is_json_type(std::string_view type) {
  const std::string plain = lower(type.substr(0, type.find(';')));
  return plain == "application/json" || plain == "*/*" || plain == "application/*" ||
         (plain.starts_with("application/") && plain.ends_with("+json"));
}

// The first media type in JSON, and its description.
const json::Value::Member* json_content(const json::Value& holder) {
  const json::Value* const content = json::find(holder, "content");
  if (!content || !content->IsObject()) return nullptr;
  for (const auto& member : content->GetObject()) {
    if (is_json_type(json::text(member.name)) && member.value.IsObject()) return &member;
  }
  return nullptr;
}

std::string media_type_of(std::string_view written) {
  return written.find('*') != std::string_view::npos ? "application/json" : std::string(written);
}

// Letters, digits, `_`, `-` and `.`: names that every model's interface takes.
std::string legal_argument(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_letter = (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
    const bool is_legal = is_letter || c == '-' || c == '.' || c == '_';
    if (is_legal) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  while (out.ends_with('_') && !name.ends_with('_')) out.pop_back();
  if (out.size() > kMostArgumentBytes) out.resize(kMostArgumentBytes);
  return out.empty() ? "value" : out;
}

const char* word_of(Place place) {
  switch (place) {
    case Place::Path:
      return "path";
    case Place::Query:
      return "query";
    case Place::Header:
      return "header";
  }
  return "query";
}

// nullopt: the host does not serialise this style there.
std::optional<Style> style_of(const json::Value& described, Place place) {
  const std::string_view written = json::find_text(described, "style");
  if (place != Place::Query)
    return written.empty() || written == "simple" ? std::optional(Style::Simple) : std::nullopt;
  if (written.empty() || written == "form") return Style::Form;
  if (written == "spaceDelimited") return Style::SpaceDelimited;
  if (written == "pipeDelimited") return Style::PipeDelimited;
  if (written == "deepObject") return Style::DeepObject;
  return std::nullopt;
}

struct Read {
  Parameter parameter;
  const json::Value* described = nullptr;
  const json::Value* schema = nullptr;  // null: any value
};

class InputReader {
 public:
  InputReader(ApiDocument& document, const std::string& path, const Reserved& reserved)
      : document_(document),
        path_(path),
        reserved_(reserved),
        schemas_(document, kMostSchemaBytes) {}

  // Those of the operation replace those of its path that have the same name and place.
  Result<void> add_list(const json::Value& holder) {
    const json::Value* const list = json::find(holder, "parameters");
    if (!list) return {};
    if (!list->IsArray()) return dropped("its \"parameters\" is no array");
    for (const json::Value& one : list->GetArray()) HOST_TRY(add(one));
    return {};
  }

  Result<void> add_body(const json::Value& operation, bool takes_body) {
    const json::Value* const written = json::find(operation, "requestBody");
    if (!written) return {};
    HOST_TRY_ASSIGN(const json::Value* const body, document_.resolve(*written));
    const bool is_required = truth_of(*body, "required", false);
    const auto* const content = json_content(*body);
    if (!takes_body || !content) {
      if (!is_required) return {};
      return dropped(takes_body ? "its body is required, and is not JSON"
                                : "its body is required, and its method has none");
    }
    body_ = body;
    body_content_ = &content->value;
    body_type_ = media_type_of(json::text(content->name));
    body_required_ = is_required;
    return {};
  }

  Result<Inputs> finish() {
    HOST_TRY(check_path());
    HOST_TRY(name_arguments());
    Inputs inputs;
    HOST_TRY_ASSIGN(inputs.schema, whole_schema());
    for (const Read& one : read_) inputs.parameters.push_back(one.parameter);
    inputs.body_type = body_type_;
    for (const Read& one : read_) {
      HOST_TRY_ASSIGN(const bool may, may_override(one));
      inputs.may_override = inputs.may_override || may;
    }
    return inputs;
  }

 private:
  Result<void> add(const json::Value& written) {
    HOST_TRY(document_.check_time());
    HOST_TRY_ASSIGN(const json::Value* const described, document_.resolve(written));
    if (!described->IsObject()) return dropped("a parameter of it is no object");
    Read read;
    read.described = described;
    read.parameter.name = json::find_text(*described, "name").substr(0, kMostNameBytes + 1);
    const std::string_view in = json::find_text(*described, "in");
    if (read.parameter.name.empty() || read.parameter.name.size() > kMostNameBytes)
      return dropped("a parameter of it has no name, or one of more than 128 bytes");
    read.parameter.required = in == "path" || truth_of(*described, "required", false);
    if (in == "cookie") return leave_out(read.parameter, "is a cookie");
    if (in != "path" && in != "query" && in != "header")
      return dropped("its parameter " + shown_parameter(read.parameter.name) +
                     " is at no known place");
    read.parameter.place = in == "path"    ? Place::Path
                           : in == "query" ? Place::Query
                                           : Place::Header;
    if (is_set_elsewhere(read.parameter)) return {};
    const std::string plain = plain_header(read.parameter.name);
    if (read.parameter.place == Place::Header &&
        (is_one(kOfConnection, plain) || is_override_header(plain)))
      return leave_out(read.parameter, "is a header that the host sets");
    return add_read(std::move(read));
  }

  Result<void> add_read(Read read) {
    Parameter& parameter = read.parameter;
    if (const auto* const content = json_content(*read.described)) {
      parameter.style = Style::Json;
      parameter.explode = false;
      read.schema = json::find(content->value, "schema");
    } else if (json::find(*read.described, "content")) {
      return leave_out(parameter, "has a content that is not JSON");
    } else {
      const auto style = style_of(*read.described, parameter.place);
      if (!style) return leave_out(parameter, "has a style that the host does not send");
      parameter.style = *style;
      parameter.explode = truth_of(*read.described, "explode", *style == Style::Form);
      read.schema = json::find(*read.described, "schema");
    }
    std::erase_if(read_, [&](const Read& other) {
      return other.parameter.place == parameter.place && other.parameter.name == parameter.name;
    });
    if (read_.size() == kMostInputs) return dropped("it has more than 200 parameters");
    read_.push_back(std::move(read));
    return {};
  }

  static Result<void> leave_out(const Parameter& parameter, const char* why) {
    if (!parameter.required) return {};
    return dropped("its parameter " + shown_parameter(parameter.name) + " is required, and " + why);
  }

  bool is_set_elsewhere(const Parameter& parameter) const {
    if (parameter.place == Place::Query) return reserved_.queries.contains(parameter.name);
    if (parameter.place != Place::Header) return false;
    const std::string plain = plain_header(parameter.name);
    return is_one(kNoParameters, plain) || reserved_.headers.contains(plain);
  }

  // Each {name} of the path is a parameter, and each parameter is in the path.
  Result<void> check_path() const {
    std::set<std::string, std::less<>> named;
    for (std::size_t at = path_.find('{'); at != std::string::npos; at = path_.find('{', at + 1)) {
      const std::size_t end = path_.find('}', at);
      if (end == std::string::npos) return dropped("its path has a { without a }");
      named.insert(path_.substr(at + 1, end - at - 1));
    }
    std::size_t found = 0;
    for (const Read& one : read_) {
      if (one.parameter.place != Place::Path) continue;
      if (!named.contains(one.parameter.name))
        return dropped("its path has no " + shown_parameter(one.parameter.name));
      ++found;
    }
    if (found == named.size()) return {};
    return dropped("its path names a parameter that is not declared");
  }

  // A name that stands at two places gets the place before it: "query_id".
  Result<void> name_arguments() {
    std::map<std::string, int> count;
    if (!body_type_.empty()) ++count[kBodyArgument];
    for (const Read& one : read_) ++count[legal_argument(one.parameter.name)];
    std::set<std::string> taken;
    if (!body_type_.empty()) taken.insert(kBodyArgument);
    for (Read& one : read_) {
      std::string name = legal_argument(one.parameter.name);
      if (count[name] > 1) name = std::string(word_of(one.parameter.place)) + "_" + name;
      if (!taken.insert(name).second)
        return dropped("two of its parameters would be the argument " + shown_parameter(name));
      one.parameter.argument = std::move(name);
    }
    return {};
  }

  Result<std::string> whole_schema() {
    std::string properties = "{";
    std::vector<std::string> required;
    for (const Read& one : read_) {
      HOST_TRY_ASSIGN(const std::string schema, schema_of(one));
      json::add_member(properties, one.parameter.argument, schema);
      if (one.parameter.required) required.push_back(one.parameter.argument);
    }
    if (!body_type_.empty()) {
      const json::Value* const schema = json::find(*body_content_, "schema");
      HOST_TRY_ASSIGN(const std::string text,
                      written(schema, json::find_text(*body_, "description")));
      json::add_member(properties, kBodyArgument, text);
      if (body_required_) required.push_back(kBodyArgument);
    }
    std::string out = R"({"type":"object")";
    json::add_member(out, "properties", properties + "}");
    if (!required.empty()) json::add_member(out, "required", json::list_of(required));
    json::add_member(out, "additionalProperties", "false");
    return out + "}";
  }

  // A query parameter that could change the method, or an object whose members the caller names.
  Result<bool> may_override(const Read& one) {
    const Parameter& parameter = one.parameter;
    if (parameter.place != Place::Query) return false;
    if (is_override_query(parameter.name)) return true;
    if (parameter.style != Style::Form || !parameter.explode || !one.schema) return false;
    HOST_TRY_ASSIGN(const json::Value* const schema, document_.resolve(*one.schema));
    if (json::find_text(*schema, "type") != "object") return false;
    const json::Value* const more = json::find(*schema, "additionalProperties");
    return !more || !more->IsFalse();
  }

  Result<std::string> schema_of(const Read& one) {
    return written(one.schema, json::find_text(*one.described, "description"));
  }

  Result<std::string> written(const json::Value* schema, std::string_view description) {
    if (schema) return schemas_.write(*schema, description);
    std::string out = "{";
    if (description.size() > kMostSchemaBytes) return dropped("a description of it is too long");
    if (!description.empty()) json::add_text(out, "description", description);
    return out + "}";
  }

  ApiDocument& document_;
  const std::string& path_;
  const Reserved& reserved_;
  SchemaWriter schemas_;
  std::vector<Read> read_;
  const json::Value* body_ = nullptr;
  const json::Value* body_content_ = nullptr;
  std::string body_type_;
  bool body_required_ = false;
};

}  // namespace

Result<Inputs> inputs_of(ApiDocument& document, const json::Value& path_item,
                         const json::Value& operation, const std::string& path, bool takes_body,
                         const Reserved& reserved) {
  InputReader reader(document, path, reserved);
  HOST_TRY(reader.add_list(path_item));
  HOST_TRY(reader.add_list(operation));
  HOST_TRY(reader.add_body(operation, takes_body));
  return reader.finish();
}

}  // namespace host::upstream::openapi
