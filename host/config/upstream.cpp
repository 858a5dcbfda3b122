#include "config/upstream.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/text/letters.h"
#include "config/webhook.h"
#include "json/json.h"

namespace host::config {
namespace {

constexpr std::size_t kMostSecretBytes = 64u << 10u;

Result<std::string> secret_in_file(const std::string& path) {
  // The host reads it while it serves: a pipe could make it wait for ever.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return Error{ErrorKind::NotFound, "\"" + path + "\" is no file that can be read"};
  }
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) {
    text.resize(kMostSecretBytes + 1);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
  }
  if (text.empty() || text.size() > kMostSecretBytes) {
    return Error{ErrorKind::NotFound,
                 "the file \"" + path + "\" cannot be read, is empty or has more than 64 KiB"};
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

Result<std::string> value_of(const json::Value& value) {
  if (value.IsString()) return std::string(json::text(value));
  const std::string variable(json::find_text(value, "env"));
  if (variable.empty()) return secret_in_file(std::string(json::find_text(value, "file")));
  const char* const found = std::getenv(variable.c_str());
  if (found) return std::string(found);
  return Error{ErrorKind::NotFound, "the host's environment has no " + variable};
}

bool has_line_end(const std::string& value) {
  return value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
}

}  // namespace

bool no_effect_with_openapi(std::string_view key) {
  constexpr std::string_view kOfMcp[] = {"auth",          "client_id",     "client_metadata_url",
                                         "client_secret", "prompts",       "prompts_denied",
                                         "questions",     "resources",     "resources_denied",
                                         "scopes",        "trace_context", "transport"};
  return std::find(std::begin(kOfMcp), std::end(kOfMcp), key) != std::end(kOfMcp);
}

bool is_document_url(std::string_view openapi) {
  return openapi.find("://") != std::string_view::npos;
}

Result<std::vector<std::pair<std::string, std::string>>> credentials_of(const Upstream& upstream) {
  std::vector<std::pair<std::string, std::string>> out;
  if (upstream.credentials.empty()) return out;
  HOST_TRY_ASSIGN(const json::Document credentials, json::parse(upstream.credentials));
  for (const auto& member : credentials.root().GetObject()) {
    const std::string scheme(json::text(member.name));
    auto value = value_of(member.value);
    if (!value) return value.error().within("credentials." + scheme);
    if (has_line_end(*value))
      return Error{ErrorKind::InvalidArgument,
                   "credentials." + scheme + ": its value has a line end"};
    out.emplace_back(scheme, *std::move(value));
  }
  return out;
}

bool is_secret(const std::string& values, std::string_view name) {
  const auto tree = json::parse(values);
  const json::Value* const value = tree ? json::find(tree->root(), name) : nullptr;
  if (value && value->IsObject()) return true;
  constexpr std::string_view kSigns[] = {"auth", "cookie", "credential", "key",
                                         "pass", "secret", "token"};
  const std::string plain = lower(name);
  return std::any_of(std::begin(kSigns), std::end(kSigns), [&plain](std::string_view sign) {
    return plain.find(sign) != std::string::npos;
  });
}

Result<std::string> secret_value(const std::string& secret) {
  HOST_TRY_ASSIGN(const json::Document value, json::parse(secret));
  return value_of(value.root());
}

const char* to_string(Pin pin) {
  switch (pin) {
    case Pin::Tofu:
      return "tofu";
    case Pin::Review:
      return "review";
    case Pin::Off:
      return "off";
  }
  return "tofu";
}

Result<std::vector<std::string>> environment_of(const Upstream& upstream) {
  std::vector<std::string> out;
  if (upstream.env.empty()) return out;
  HOST_TRY_ASSIGN(const json::Document env, json::parse(upstream.env));
  for (const auto& member : env.root().GetObject()) {
    const std::string name(json::text(member.name));
    auto value = value_of(member.value);
    if (!value) return value.error().within("env." + name);
    if (value->find('\0') != std::string::npos)
      return Error{ErrorKind::InvalidArgument, "env." + name + ": its value has a zero byte"};
    out.push_back(name + "=" + *value);
  }
  return out;
}

Result<std::vector<std::pair<std::string, std::string>>> headers_of(const Upstream& upstream) {
  std::vector<std::pair<std::string, std::string>> out;
  if (upstream.headers.empty()) return out;
  HOST_TRY_ASSIGN(const json::Document headers, json::parse(upstream.headers));
  for (const auto& member : headers.root().GetObject()) {
    const std::string name(json::text(member.name));
    auto value = value_of(member.value);
    if (!value) return value.error().within("headers." + name);
    if (has_line_end(*value)) {
      return Error{ErrorKind::InvalidArgument, "headers." + name + ": its value has a line end"};
    }
    const std::string prefix(member.value.IsObject() ? json::find_text(member.value, "prefix")
                                                     : std::string_view());
    out.emplace_back(name, prefix + *value);
  }
  return out;
}

}  // namespace host::config
