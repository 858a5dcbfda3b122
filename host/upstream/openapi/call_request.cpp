#include "upstream/openapi/call_request.h"

#include <algorithm>
#include <set>

#include "base/text/encoding.h"
#include "base/text/letters.h"
#include "json/excerpt.h"
#include "tool/definition/declared_text.h"
#include "upstream/openapi/serialization.h"

namespace host::upstream::openapi {
namespace {

constexpr const char* kAccept = "application/json, text/*;q=0.9, */*;q=0.5";

Error not_sendable(std::string why) {
  return Error{ErrorKind::InvalidArgument, std::move(why)};
}

std::string shown_argument(std::string_view name) {
  return "the argument " + tool::quoted_name(json::excerpt(name, 64));
}

// Absent, or null for an optional one, as models write it.
const json::Value* argument_of(const json::Value& arguments, const Parameter& parameter) {
  const json::Value* const found = json::find(arguments, parameter.argument);
  return found && found->IsNull() && !parameter.required ? nullptr : found;
}

Result<void> check_names(const Operation& operation, const json::Value& arguments) {
  if (arguments.IsNull()) return {};
  if (!arguments.IsObject()) return not_sendable("the arguments are no object");
  for (const auto& member : arguments.GetObject()) {
    const std::string_view name = json::text(member.name);
    const bool is_body = name == kBodyArgument && !operation.body_type.empty();
    const bool is_known =
        is_body || std::any_of(operation.parameters.begin(), operation.parameters.end(),
                               [&](const Parameter& one) { return one.argument == name; });
    if (!is_known) return not_sendable(shown_argument(name) + " is not one of this operation");
  }
  return {};
}

void add_query(std::string& query, const std::string& part) {
  if (part.empty()) return;
  query += (query.empty() ? "?" : "&") + part;
}

class Maker {
 public:
  Maker(const Operation& operation, const json::Value& arguments, const Access& access)
      : operation_(operation), arguments_(arguments), access_(access) {}

  Result<CallRequest> make() {
    HOST_TRY(check_names(operation_, arguments_));
    request_.method = operation_.method;
    add_header("Accept", kAccept);
    add_header("User-Agent", "Toolpost");
    for (const auto& [name, value] : access_.headers) set_header(name, value);
    for (const Parameter& one : operation_.parameters) {
      if (one.place == Place::Query) queries_.insert(one.name);
    }
    for (const Credential& one : operation_.credentials) {
      if (one.to == Credential::To::Query) queries_.insert(one.name);
    }
    HOST_TRY(add_parameters());
    for (const Credential& one : operation_.credentials) HOST_TRY(add_credential(one));
    HOST_TRY(add_body());
    HOST_TRY_ASSIGN(const std::string path, path_with_values());
    request_.url = operation_.server + path + query_;
    return std::move(request_);
  }

 private:
  void add_header(const std::string& name, const std::string& value) {
    request_.headers.emplace_back(name, value);
  }

  void set_header(const std::string& name, const std::string& value) {
    std::erase_if(request_.headers,
                  [&](const auto& header) { return same_letters(header.first, name); });
    add_header(name, value);
  }

  Result<void> add_parameters() {
    for (const Parameter& one : operation_.parameters) {
      const json::Value* const value = argument_of(arguments_, one);
      if (!value) {
        if (one.required) return not_sendable(shown_argument(one.argument) + " is missing");
        continue;
      }
      if (one.place == Place::Path) {
        HOST_TRY_ASSIGN(path_values_[one.name], path_text(one, *value));
      } else if (one.place == Place::Query) {
        std::set<std::string> others = queries_;
        others.erase(one.name);
        HOST_TRY_ASSIGN(const std::string part, query_text(one, *value, others));
        openapi::add_query(query_, part);
      } else {
        HOST_TRY_ASSIGN(const std::string text, header_text(one, *value));
        add_header(one.name, text);
      }
    }
    return {};
  }

  Result<void> add_credential(const Credential& one) {
    const auto found = access_.credentials.find(one.scheme);
    if (found == access_.credentials.end())
      return not_sendable("the credentials of its security scheme are not configured");
    const std::string& value = found->second;
    switch (one.to) {
      case Credential::To::Header:
        set_header(one.name, value);
        break;
      case Credential::To::Query:
        openapi::add_query(query_, encoded(one.name) + "=" + encoded(value));
        break;
      case Credential::To::Cookie:
        cookies_ += (cookies_.empty() ? "" : "; ") + one.name + "=" + value;
        set_header("Cookie", cookies_);
        break;
      case Credential::To::Bearer:
        set_header("Authorization", "Bearer " + value);
        break;
      case Credential::To::Basic:
        set_header("Authorization", "Basic " + base64(value));
        break;
    }
    return {};
  }

  Result<void> add_body() {
    if (operation_.body_type.empty()) return {};
    const json::Value* const body = json::find(arguments_, kBodyArgument);
    if (!body) return {};
    request_.body = json::write(*body);
    add_header("Content-Type", operation_.body_type);
    return {};
  }

  Result<std::string> path_with_values() const {
    std::string out;
    const std::string& path = operation_.path;
    for (std::size_t at = 0; at < path.size();) {
      const std::size_t open = std::min(path.find('{', at), path.size());
      out += path.substr(at, open - at);
      if (open == path.size()) break;
      const std::size_t close = path.find('}', open);
      const auto value = path_values_.find(path.substr(open + 1, close - open - 1));
      if (value == path_values_.end()) return not_sendable("a part of the path is missing");
      out += value->second;
      at = close + 1;
    }
    if (has_dot_segment(out))
      return not_sendable("the arguments make a segment . or .. of the path");
    return out;
  }

  const Operation& operation_;
  const json::Value& arguments_;
  const Access& access_;
  CallRequest request_;
  std::map<std::string, std::string> path_values_;
  std::set<std::string> queries_;  // names of all query parameters
  std::string query_;
  std::string cookies_;
};

}  // namespace

Result<CallRequest> request_for(const Operation& operation, const json::Value& arguments,
                                const Access& access) {
  return Maker(operation, arguments, access).make();
}

}  // namespace host::upstream::openapi
