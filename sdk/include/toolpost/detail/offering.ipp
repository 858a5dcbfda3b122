// The bodies of offering.hpp.
#pragma once

#include <charconv>
#include <optional>
#include <system_error>

#include "toolpost/detail/offering.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE std::string describe_offer(const OfferEntry& entry, std::string_view uri_key) {
  std::string out = "{";
  const auto json = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    if (out.size() > 1) out += ',';
    write_string(out, key);
    out.append(1, ':').append(value);
  };
  const auto text = [&](std::string_view key, std::string_view value) {
    std::string quoted;
    if (!value.empty()) write_string(quoted, value);
    json(key, quoted);
  };
  const OfferOptions& options = entry.options;
  if (!uri_key.empty()) text(uri_key, entry.uri);
  text("name", entry.name);
  text("title", options.title);
  text("description", entry.description);
  text("mimeType", entry.mime);
  json("size", options.size ? std::to_string(*options.size) : std::string());
  json("arguments", entry.arguments);
  json("icons", options.icons.text);
  json("annotations", options.annotations.text);
  json("_meta", options.meta.text);
  return out + "}";
}

TOOLPOST_INLINE std::string describe_offers(const std::vector<OfferEntry>& entries,
                                            std::string_view uri_key, void* state,
                                            Context& context) {
  std::string out = "[";
  for (const auto& entry : entries) {
    if (entry.listed_if && !entry.listed_if(state, context)) continue;
    if (out.back() != '[') out += ',';
    out += describe_offer(entry, uri_key);
  }
  return out + "]";
}

TOOLPOST_INLINE std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    if (text.size() - i < 3) return std::nullopt;
    const char* const last = text.data() + i + 3;
    const auto [end, error] = std::from_chars(text.data() + i + 1, last, value, 16);
    if (error != std::errc() || end != last) return std::nullopt;
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

// Returns the variables of a URI that matches the template, as a JSON object of texts. Returns
// nullopt if the URI does not match. {name} matches one or more characters without a slash, and
// without "%2F". {+name} matches one or more characters. No value contains the character NUL.
TOOLPOST_INLINE std::optional<std::string> match_template(std::string_view pattern,
                                                          std::string_view uri) {
  std::string out = "{";
  while (!pattern.empty()) {
    if (pattern.front() != '{') {
      if (uri.empty() || uri.front() != pattern.front()) return std::nullopt;
      pattern.remove_prefix(1);
      uri.remove_prefix(1);
      continue;
    }
    const std::size_t close = pattern.find('}');
    if (close == pattern.npos) return std::nullopt;
    std::string_view name = pattern.substr(1, close - 1);
    const bool any = name.starts_with('+');
    if (any) name.remove_prefix(1);
    pattern.remove_prefix(close + 1);
    // A variable's value ends where the URI has the text that follows the variable in the template.
    const std::string_view next = pattern.substr(0, pattern.find('{'));
    std::size_t end = uri.size();
    if (!next.empty()) end = pattern.size() == next.size() ? uri.rfind(next) : uri.find(next, 1);
    if (end == uri.npos || end == 0) return std::nullopt;
    const auto value = percent_decoded(uri.substr(0, end));
    // The function refuses an encoded slash too, because plugins can use the value as a file name.
    if (!value || (!any && value->find('/') != value->npos)) return std::nullopt;
    if (value->find('\0') != value->npos) return std::nullopt;
    if (out.size() > 1) out += ',';
    write_string(out, name);
    out += ':';
    write_string(out, *value);
    uri.remove_prefix(end);
  }
  if (!uri.empty()) return std::nullopt;
  return out + "}";
}

TOOLPOST_INLINE bool read_offered(const Offers& offers, std::string_view uri, void* state,
                                  Context& context) {
  for (const auto& entry : offers.resources) {
    if (entry.uri != uri) continue;
    entry.call(state, "{}", context);
    return true;
  }
  for (const auto& entry : offers.templates) {
    const auto variables = match_template(entry.uri, uri);
    if (!variables) continue;
    entry.call(state, *variables, context);
    return true;
  }
  return false;
}

TOOLPOST_INLINE bool get_offered(const Offers& offers, std::string_view name,
                                 std::string_view arguments, void* state, Context& context) {
  for (const auto& entry : offers.prompts) {
    if (entry.name != name) continue;
    entry.call(state, arguments, context);
    return true;
  }
  return false;
}

// The request of tp.completion/1.
struct CompletionRequest {
  struct Ref {
    std::string type;
    std::optional<std::string> name;
    std::optional<std::string> uri;
    TOOLPOST_FIELDS(Ref, TOOLPOST_FIELD(type), TOOLPOST_FIELD(name), TOOLPOST_FIELD(uri))
  };
  struct Argument {
    std::string name;
    std::string value;
    TOOLPOST_FIELDS(Argument, TOOLPOST_FIELD(name), TOOLPOST_FIELD(value))
  };
  struct Others {
    std::map<std::string, std::string> arguments;
    TOOLPOST_FIELDS(Others, TOOLPOST_FIELD(arguments, "", defaulted))
  };
  Ref ref;
  Argument argument;
  std::optional<Others> context;
  TOOLPOST_FIELDS(CompletionRequest, TOOLPOST_FIELD(ref), TOOLPOST_FIELD(argument),
                  TOOLPOST_FIELD(context))
};

TOOLPOST_INLINE std::string to_text(Completions found) {
  constexpr std::size_t most = 100;
  if (found.values.size() > most) {
    if (!found.total) found.total = found.values.size();
    found.has_more = true;
    found.values.resize(most);
  }
  std::string out = R"({"values":)" + json_of(found.values);
  if (found.total) out += R"(,"total":)" + std::to_string(*found.total);
  return out + (found.has_more ? R"(,"hasMore":true})" : R"(,"hasMore":false})");
}

TOOLPOST_INLINE std::string complete_offered(const Offers& offers, std::string_view request_text,
                                             void* state, Context& context) {
  auto request = read_object<CompletionRequest>(request_text, "argument");
  Typed typed{request.argument.value, {}};
  if (request.context) typed.others = std::move(request.context->arguments);
  const bool is_prompt = request.ref.type == "ref/prompt";
  const std::string wanted = (is_prompt ? request.ref.name : request.ref.uri).value_or("");
  for (const auto& entry : is_prompt ? offers.prompts : offers.templates) {
    if ((is_prompt ? entry.name : entry.uri) != wanted) continue;
    const auto at = entry.completions.find(request.argument.name);
    if (at != entry.completions.end()) return to_text(at->second(state, typed, context));
  }
  return to_text({});
}

}  // namespace detail

}  // namespace v1
}  // namespace toolpost
