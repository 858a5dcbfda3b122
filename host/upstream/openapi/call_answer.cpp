#include "upstream/openapi/call_answer.h"

#include <algorithm>
#include <string_view>

#include "base/text/encoding.h"
#include "base/text/letters.h"
#include "json/json.h"
#include "json/object_text.h"
#include "json/string_token.h"

namespace host::upstream::openapi {
namespace {

constexpr std::size_t kShownOfError = 4096;
constexpr std::size_t kMostShownHeaders = 8192;
constexpr std::size_t kShownOfType = 128;
// A result has its JSON twice, and the JSON parser takes 1,000,000 values.
constexpr std::uint32_t kMostStructuredValues = 400'000;
// JSON in a string of JSON: so many times its escapes are decoded.
constexpr int kMostDecoded = 4;

std::string plain_type(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return lower(type);
}

bool is_json(std::string_view type) {
  return type == "application/json" || type == "text/json" ||
         (type.starts_with("application/") && type.ends_with("+json"));
}

// Decodes up to a quote or to the end. What is no valid part of a string stays as it is. Returns
// false at the end of the text, where half of an escape is left out.
bool decode_piece(const char*& at, const char* end, std::string& decoded) {
  while (!json::read_string_token(at, end, decoded).empty()) {
    if (at == end) return false;
    decoded += *at++;
  }
  return true;
}

// Hides secrets that the API wrote as they are, or with escapes of JSON. Only the strings with a
// secret are written anew, so the text need not be whole or valid JSON.
std::string without_secrets(std::string_view text, const Secrets& secrets, bool is_cut,
                            int most_decoded = kMostDecoded) {
  std::string plain = secrets.hide(text, is_cut);
  if (most_decoded == 0 || plain.find('\\') == std::string::npos) return plain;
  std::string out;
  const char* at = plain.data();
  const char* const end = at + plain.size();
  while (at != end) {
    const char* const from = at;
    std::string decoded;
    const bool has_quote = decode_piece(at, end, decoded);
    const std::string_view piece(from, static_cast<std::size_t>(at - from) - (has_quote ? 1 : 0));
    std::string hidden = decoded;
    if (piece.find('\\') != std::string_view::npos)
      hidden = without_secrets(decoded, secrets, is_cut && !has_quote, most_decoded - 1);
    if (hidden == decoded) {
      out += piece;
    } else {
      std::string quoted;
      json::write_string(hidden, quoted);
      out.append(quoted, 1, quoted.size() - 2);
    }
    if (has_quote) out += '"';
  }
  return out;
}

std::string text_block(std::string_view text) {
  std::string out = "{";
  json::add_text(out, "type", "text");
  json::add_text(out, "text", text);
  return out + "}";
}

std::string with_content(const std::string& block, bool is_error) {
  std::string out = "{";
  json::add_member(out, "content", "[" + block + "]");
  if (is_error) json::add_bool(out, "isError", true);
  return out + "}";
}

// Of HEAD: what the response says about itself. Cookies are the host's affair.
std::string header_lines(const CallAnswer& answer) {
  std::string out = "HTTP status " + std::to_string(answer.status);
  for (const auto& [name, value] : answer.headers) {
    const std::string plain = lower(name);
    if (plain == "set-cookie" || plain == "connection" || !is_utf8(name) || !is_utf8(value))
      continue;
    if (out.size() + name.size() + value.size() > kMostShownHeaders) break;
    out += "\n" + name + ": " + value;
  }
  return out;
}

// Secrets are hidden before a text is cut, so that no part of one is left.
std::string error_text(const CallAnswer& answer, const Secrets& secrets) {
  std::string out = "The API answered with HTTP status " + std::to_string(answer.status) + ".";
  if (!answer.retry_after.empty() && is_utf8(answer.retry_after))
    out += " Retry-After: " + std::string(utf8_begin(secrets.hide(answer.retry_after), 64)) + ".";
  if (answer.status == 401 || answer.status == 403)
    out += " The operator may have to check the upstream's `credentials` or `headers`.";
  const std::string body = without_secrets(answer.body, secrets, true);
  const std::string_view start = utf8_begin(body, kShownOfError);
  if (start.empty()) return out;
  if (!is_utf8(start)) return out + " Its body is not text.";
  return out + "\n\n" + std::string(start) + (start.size() < body.size() ? "..." : "");
}

Result<json::Document> json_in(const std::string& text) {
  json::Limits limits;
  limits.nodes = kMostStructuredValues;
  return json::parse(text, limits);
}

std::string json_result(const std::string& text) {
  std::string out = "{";
  json::add_member(out, "content", "[" + text_block(text) + "]");
  const auto tree = json_in(text);
  if (tree && tree->root().IsObject())
    json::add_member(out, "structuredContent", json::write(tree->root()));
  return out + "}";
}

std::string_view kind_of_json(const json::Value& value) {
  if (value.IsArray()) return "an array";
  if (value.IsString()) return "a string";
  if (value.IsNumber()) return "a number";
  return value.IsBool() ? "a boolean" : "null";
}

// What the API answered in place of a JSON object; empty: a JSON object.
std::string other_than_object(const CallAnswer& answer, const std::string& type) {
  if (answer.body.empty())
    return "HTTP status " + std::to_string(answer.status) + " without a body";
  if (!is_json(type)) {
    const std::string name = type.empty() || !is_utf8(type) ? "a body without a media type" : type;
    return std::string(utf8_begin(name, kShownOfType));
  }
  const auto tree = json_in(answer.body);
  if (!tree) return "a body that cannot be read as JSON (" + tree.error().message + ")";
  return tree->root().IsObject() ? std::string() : std::string(kind_of_json(tree->root()));
}

// `result` has a "content" that is not empty.
std::string broken_promise(const std::string& kind, const std::string& result) {
  const std::string why = text_block(
      "The API answered with " + kind +
      ", but its document says that the answer is a JSON object. The operator can correct the "
      "document.");
  constexpr std::string_view kBegin = "{\"content\":[";
  return std::string(kBegin) + why + "," + text_block("What it returned follows.") + "," +
         result.substr(kBegin.size(), result.size() - kBegin.size() - 1) + ",\"isError\":true}";
}

std::string blob_result(const CallAnswer& answer, const std::string& type) {
  const bool is_image = type.starts_with("image/");
  const bool is_shown = is_image || type.starts_with("audio/");
  const std::string media = type.empty() || !is_utf8(type) ? "application/octet-stream" : type;
  std::string out = "{";
  if (is_shown) {
    json::add_text(out, "type", is_image ? "image" : "audio");
    json::add_text(out, "data", base64(answer.body));
    json::add_text(out, "mimeType", media);
    return with_content(out + "}", false);
  }
  std::string resource = "{";
  json::add_text(resource, "uri", answer.url);
  json::add_text(resource, "mimeType", media);
  json::add_text(resource, "blob", base64(answer.body));
  json::add_text(out, "type", "resource");
  json::add_member(out, "resource", resource + "}");
  return with_content(out + "}", false);
}

bool is_text(std::string_view type, std::string_view body) {
  const bool says_binary = type.starts_with("image/") || type.starts_with("audio/") ||
                           type.starts_with("video/") || type == "application/octet-stream" ||
                           type == "application/pdf" || type == "application/zip";
  return (!says_binary || type == "image/svg+xml") && is_utf8(body) &&
         body.find('\0') == std::string_view::npos;
}

}  // namespace

namespace {

std::string result_of_success(const CallAnswer& answer, const Secrets& secrets) {
  if (answer.method == "HEAD")
    return with_content(text_block(without_secrets(header_lines(answer), secrets, false)), false);
  if (answer.body.empty()) {
    return with_content(
        text_block("HTTP status " + std::to_string(answer.status) + ", without a body."), false);
  }
  const std::string type = plain_type(answer.content_type);
  if (!is_text(type, answer.body)) return blob_result(answer, type);
  const std::string text = without_secrets(answer.body, secrets, false);
  return is_json(type) ? json_result(text) : with_content(text_block(text), false);
}

}  // namespace

std::string result_of(const CallAnswer& answer, const Secrets& secrets) {
  const bool is_success = answer.status >= 200 && answer.status < 300;
  if (!is_success) return with_content(text_block(error_text(answer, secrets)), true);
  const std::string result = result_of_success(answer, secrets);
  if (!answer.promises_object) return result;
  const std::string kind = other_than_object(answer, plain_type(answer.content_type));
  return kind.empty() ? result : broken_promise(secrets.hide(kind), result);
}

}  // namespace host::upstream::openapi
