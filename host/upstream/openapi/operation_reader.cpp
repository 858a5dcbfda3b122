#include "upstream/openapi/operation_reader.h"

#include <boost/url/encode.hpp>
#include <boost/url/rfc/pchars.hpp>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/text/letters.h"
#include "json/excerpt.h"
#include "json/object_text.h"
#include "tool/definition/declared_text.h"
#include "upstream/openapi/overrides.h"
#include "upstream/openapi/parameters.h"
#include "upstream/openapi/responses.h"
#include "upstream/openapi/serialization.h"

namespace host::upstream::openapi {
namespace {

constexpr std::size_t kMostRefusals = 200;  // with a line of their own
constexpr std::size_t kMostToolBytes = 128;
constexpr std::size_t kMostIdBytes = 256;
constexpr std::size_t kMostPathBytes = 1024;
constexpr std::string_view kMethods[] = {"get",   "head",   "post",    "put",
                                         "patch", "delete", "options", "trace"};

Error unserved(std::string why) {
  return Error{ErrorKind::InvalidArgument, std::move(why)};
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return out;
}

// "get_pets_petId" of GET /pets/{petId}.
std::string name_of_path(const std::string& method, std::string_view path) {
  std::string out = method + "_";
  for (const char c : path) {
    const bool is_legal =
        (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-';
    if (is_legal) {
      out += c;
    } else if (out.back() != '_') {
      out += '_';
    }
  }
  while (out.ends_with('_')) out.pop_back();
  if (out.size() <= kMostToolBytes) return out;
  out.resize(kMostToolBytes - 9);
  return out + "_" + to_hex(sha256(std::string(method).append(path))).substr(0, 8);
}

std::string name_of(const json::Value& operation, const std::string& method,
                    const std::string& path) {
  const std::string_view id = json::find_text(operation, "operationId");
  return id.empty() ? name_of_path(method, path) : std::string(id.substr(0, kMostIdBytes + 1));
}

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'f');
}

// A part that may be encoded already.
std::string path_part(std::string_view written) {
  constexpr auto kPlain = boost::urls::pchars + boost::urls::grammar::lut_chars("/");
  std::string out;
  for (std::size_t at = 0; at < written.size();) {
    const std::size_t percent = std::min(written.find('%', at), written.size());
    out += boost::urls::encode(written.substr(at, percent - at), kPlain);
    if (percent == written.size()) break;
    const bool is_escape = percent + 2 < written.size() && is_hex(written[percent + 1]) &&
                           is_hex(written[percent + 2]);
    out += is_escape ? "%" : "%25";
    at = percent + 1;
  }
  return out;
}

// The path as it is sent, apart from its {parameters}, which stay as they are.
Result<std::string> path_of(std::string_view written) {
  if (!written.starts_with('/')) return unserved("its path does not begin with /");
  if (written.size() > kMostPathBytes) return unserved("its path is too long");
  std::string out;
  std::string literal;  // with one letter in place of each parameter
  for (std::size_t at = 0; at < written.size();) {
    const std::size_t open = std::min(written.find('{', at), written.size());
    const std::string_view part = written.substr(at, open - at);
    if (part.find_first_of("?#\\}") != std::string_view::npos)
      return unserved("its path has a ?, # or \\, or a } without a {");
    out += path_part(part);
    literal += part;
    if (open == written.size()) break;
    const std::size_t close = written.find('}', open);
    if (close == std::string_view::npos) return unserved("its path has a { without a }");
    out += written.substr(open, close + 1 - open);
    literal += 'x';
    at = close + 1;
  }
  if (has_dot_segment(literal)) return unserved("its path has a segment . or ..");
  return out;
}

Reserved reserved_by(const Known& known, const std::vector<Credential>& credentials) {
  Reserved reserved;
  for (const std::string& name : known.headers) reserved.headers.insert(plain_header(name));
  for (const Credential& one : credentials) {
    if (one.to == Credential::To::Header) reserved.headers.insert(plain_header(one.name));
    if (one.to == Credential::To::Query) reserved.queries.insert(one.name);
  }
  return reserved;
}

const char* text_of(Place place) {
  return place == Place::Path ? "path" : place == Place::Query ? "query" : "header";
}

const char* text_of(Style style) {
  switch (style) {
    case Style::Simple:
      return "simple";
    case Style::Form:
      return "form";
    case Style::SpaceDelimited:
      return "spaceDelimited";
    case Style::PipeDelimited:
      return "pipeDelimited";
    case Style::DeepObject:
      return "deepObject";
    case Style::Json:
      return "json";
  }
  return "form";
}

const char* text_of(Credential::To to) {
  switch (to) {
    case Credential::To::Header:
      return "header";
    case Credential::To::Query:
      return "query";
    case Credential::To::Cookie:
      return "cookie";
    case Credential::To::Bearer:
      return "bearer";
    case Credential::To::Basic:
      return "basic";
  }
  return "header";
}

std::string parameter_json(const Parameter& one) {
  std::string out = "{";
  json::add_text(out, "argument", one.argument);
  json::add_text(out, "in", text_of(one.place));
  json::add_text(out, "name", one.name);
  json::add_text(out, "style", text_of(one.style));
  json::add_bool(out, "explode", one.explode);
  return out + "}";
}

std::string credential_json(const Credential& one) {
  std::string out = "{";
  json::add_text(out, "scheme", one.scheme);
  json::add_text(out, "to", text_of(one.to));
  if (!one.name.empty()) json::add_text(out, "name", one.name);
  return out + "}";
}

// How a call becomes a request. It is in the definition, so that a change of it is a change of the
// definition, which waits for a person. `server` only if the document names it.
std::string request_json(const Operation& operation, const std::string& server) {
  std::string out = "{";
  json::add_text(out, "method", operation.method);
  json::add_text(out, "url", server + operation.path);
  std::string parameters = "[";
  for (const Parameter& one : operation.parameters)
    parameters += (parameters.size() > 1 ? "," : "") + parameter_json(one);
  json::add_member(out, "parameters", parameters + "]");
  if (!operation.body_type.empty()) json::add_text(out, "body", operation.body_type);
  std::string credentials = "[";
  for (const Credential& one : operation.credentials)
    credentials += (credentials.size() > 1 ? "," : "") + credential_json(one);
  json::add_member(out, "credentials", credentials + "]");
  return out + "}";
}

std::string description_of(const json::Value& operation, const std::string& request_line) {
  const std::string_view summary = json::find_text(operation, "summary");
  const std::string_view description = json::find_text(operation, "description");
  std::string out(summary);
  if (!description.empty() && description != summary)
    out += (out.empty() ? "" : "\n\n") + std::string(description);
  const json::Value* const deprecated = json::find(operation, "deprecated");
  if (deprecated && deprecated->IsBool() && deprecated->GetBool())
    out += (out.empty() ? "" : "\n\n") + std::string("Deprecated.");
  return out + (out.empty() ? "" : "\n\n") + "Request: " + request_line;
}

std::string definition_of(const json::Value& operation, const Operation& read,
                          const std::string& input_schema, const std::string& output_schema,
                          const std::string& shown_server) {
  const bool reads = read.reads;
  std::string out = "{";
  json::add_text(out, "name", read.name);
  const std::string_view summary = json::find_text(operation, "summary");
  if (!summary.empty()) json::add_text(out, "title", summary);
  json::add_text(out, "description",
                 description_of(operation, read.method + " " + shown_server + read.path));
  json::add_member(out, "inputSchema", input_schema);
  if (!output_schema.empty()) json::add_member(out, "outputSchema", output_schema);
  std::string hints = "{";
  json::add_bool(hints, "readOnlyHint", reads);
  json::add_bool(hints, "destructiveHint", !reads);
  json::add_bool(hints, "idempotentHint", reads);
  json::add_bool(hints, "openWorldHint", true);
  json::add_member(hints, "request", request_json(read, shown_server));
  json::add_member(out, "annotations", hints + "}");
  return out + "}";
}

}  // namespace

OperationReader::OperationReader(ApiDocument document, ReadSettings settings)
    : document_(std::move(document)), settings_(std::move(settings)) {
  document_.set_most_time(settings_.most_time);
  read_.version = document_.version();
  if (const json::Value* const info = json::find(document_.root(), "info")) {
    read_.title = json::excerpt(json::find_text(*info, "title"), kMostToolBytes);
    read_.release = json::excerpt(json::find_text(*info, "version"), kMostToolBytes);
  }
  const json::Value* const paths = json::find(document_.root(), "paths");
  static const json::Document kNone = *json::parse("{}");
  const json::Value& all = paths && paths->IsObject() ? *paths : kNone.root();
  next_path_ = all.MemberBegin();
  last_path_ = all.MemberEnd();
}

// Looks at the next path. False: there is none.
bool OperationReader::find_next() {
  if (next_path_ == last_path_) return false;
  const auto& member = *next_path_++;
  const std::string_view path = json::text(member.name);
  if (!path.starts_with("x-")) find_in(std::string(path), member.value);
  if (found_.size() < kMostOperations) return true;
  next_path_ = last_path_;
  refuse("", "the document has more than " + std::to_string(kMostOperations) +
                 " operations: the rest is not read");
  return true;
}

void OperationReader::find_in(const std::string& path, const json::Value& written) {
  const auto item = document_.resolve(written);
  if (!item || !(*item)->IsObject()) {
    refuse(json::excerpt(path, kMostToolBytes),
           item ? "its path is no object" : item.error().message);
    return;
  }
  for (const std::string_view method : kMethods) {
    const json::Value* const operation = json::find(**item, method);
    if (!operation) continue;
    Found found{path, std::string(method), *item, operation, {}};
    if (!operation->IsObject()) found.fault = "it is no object";
    if (method == "trace") found.fault = "the host sends no TRACE";
    found_.push_back(std::move(found));
  }
}

void OperationReader::refuse(const std::string& name, const std::string& reason) {
  if (read_.refusals.size() < kMostRefusals) {
    read_.refusals.push_back({name, reason});
    return;
  }
  if (unnamed_refusals_++ == 0) read_.refusals.emplace_back();
  read_.refusals.back() = {
      "", std::to_string(unnamed_refusals_) + " more operations of the document are not served"};
}

bool OperationReader::step() {
  if (document_.is_used_up()) {
    refuse("", "the document takes more than " + std::to_string(settings_.most_time.count()) +
                   " ms of CPU time to read: the rest is not served");
    return false;
  }
  document_.begin_turn();
  const bool goes_on = next_ < found_.size() || find_next();
  if (next_ < found_.size()) read_next();
  document_.end_turn();
  return goes_on;
}

void OperationReader::read_next() {
  const Found& found = found_[next_++];
  const std::string line = upper(found.method) + " " + found.path;
  const std::string name = found.operation->IsObject()
                               ? name_of(*found.operation, found.method, found.path)
                               : name_of_path(found.method, found.path);
  auto operation = found.fault.empty() ? read(found) : Result<Operation>(unserved(found.fault));
  if (operation && names_.contains(name))
    operation = unserved("its name is that of " + names_[name] + " too");
  if (operation && bytes_ + operation->definition.size() > kMostDefinitionBytes)
    operation = unserved("the definitions of the operations before it have too many bytes");
  if (!operation) {
    refuse(json::excerpt(name, kMostToolBytes), operation.error().message);
  } else {
    names_.emplace(name, json::excerpt(line, kMostToolBytes));
    bytes_ += operation->definition.size();
    read_.all.push_back(*std::move(operation));
  }
}

Result<Operation> OperationReader::read(const Found& found) {
  const json::Value& written = *found.operation;
  Operation out;
  out.name = name_of(written, found.method, found.path);
  out.method = upper(found.method);
  if (out.name.size() > kMostIdBytes)
    return unserved("its operationId has more than " + std::to_string(kMostIdBytes) + " bytes");
  if (json::find_text(written, "summary").size() > kMostOfDefinition ||
      json::find_text(written, "description").size() > kMostOfDefinition)
    return unserved("its description is too long");
  HOST_TRY_ASSIGN(out.path, path_of(found.path));
  const auto own_or = [&](const char* key) {
    const json::Value* const own = json::find(written, key);
    return own ? own : json::find(document_.root(), key);
  };
  const json::Value* servers = json::find(written, "servers");
  if (!servers) servers = json::find(*found.path_item, "servers");
  if (!servers) servers = json::find(document_.root(), "servers");
  HOST_TRY_ASSIGN(out.server, server_of(settings_.servers, servers));
  HOST_TRY_ASSIGN(out.credentials, credentials_for(document_, own_or("security"), settings_.known));
  const bool takes_body = out.method != "GET" && out.method != "HEAD";
  HOST_TRY_ASSIGN(Inputs inputs,
                  inputs_of(document_, *found.path_item, written, found.path, takes_body,
                            reserved_by(settings_.known, out.credentials)));
  out.parameters = std::move(inputs.parameters);
  out.body_type = std::move(inputs.body_type);
  out.reads = (out.method == "GET" || out.method == "HEAD") && !inputs.may_override;
  const std::string shown = settings_.servers.base.empty() ? out.server : std::string();
  out.definition = definition_of(written, out, inputs.schema, {}, shown);
  if (out.definition.size() > kMostOfDefinition)
    return unserved("its definition has more than " + std::to_string(kMostOfDefinition) + " bytes");
  // An operation that acts has acted, also if its answer differs from the document.
  const bool has_output = out.reads && out.method != "HEAD";
  const std::string output = has_output ? output_schema_of(document_, written) : std::string();
  HOST_TRY(document_.check_time());  // otherwise a definition would depend on the time
  if (output.empty() || output_bytes_ + output.size() > kMostOutputSchemas) return out;
  std::string with_output = definition_of(written, out, inputs.schema, output, shown);
  if (with_output.size() > kMostOfDefinition) return out;
  output_bytes_ += output.size();
  out.definition = std::move(with_output);
  out.promises_object = true;
  return out;
}

}  // namespace host::upstream::openapi
