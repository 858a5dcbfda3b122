// From the author's functions to what tp.resources/1, tp.prompts/1 and tp.completion/1 call.
#pragma once

#include <charconv>
#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "toolpost/detail/handler.hpp"
#include "toolpost/detail/offer.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

template <class State>
using OfferCall = std::function<void(State&, std::string_view args, Context&)>;
template <class State>
using CompleteCall = std::function<Completions(State&, Typed&, Context&)>;
template <class State>
using ListedIf = std::function<bool(State&, Context&)>;

// A resource, a template of resources or a prompt.
template <class State>
struct OfferEntry {
  std::string uri;  // or template; empty: a prompt
  std::string name;
  std::string description;
  std::string mime;
  OfferOptions options;
  std::string arguments;  // of a prompt, as JSON
  OfferCall<State> call;
  ListedIf<State> listed_if;  // null: always
  std::map<std::string, CompleteCall<State>, std::less<>> completions;
};

template <class State>
struct Offers {
  std::vector<OfferEntry<State>> resources;
  std::vector<OfferEntry<State>> templates;
  std::vector<OfferEntry<State>> prompts;
  bool completes = false;
};

template <class State, class F, class Give>
OfferCall<State> make_offer(F function, Give give) {
  using Params = typename Signature<F>::Params;
  static_assert(!ArgumentsIn<State, Nothing, Params>::pends,
                "toolpost: a resource or prompt is answered by its function's return");
  return [function, give](State& state, std::string_view text, Context& context) {
    auto arguments = read_object<ArgumentsOf<State, F>>(text, "argument");
    Nothing nothing;
    give(context,
         invoke(static_cast<Params*>(nullptr), function, state, arguments, nothing, context));
  };
}

// Contents, or a text or the JSON of a struct with the resource's own media type.
template <class State, class F>
OfferCall<State> make_read(F function, const std::string& mime) {
  return make_offer<State>(function, [mime](const Context& context, const auto& result) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(result)>, Contents>) {
      result.push_to(context, mime);
    } else if constexpr (Described<std::remove_cvref_t<decltype(result)>>) {
      context.push(TP_TEXT, mime, to_json(result));
    } else {
      context.push(TP_TEXT, mime, result);
    }
  });
}

// Messages, or the text of one message of the user.
template <class State, class F>
OfferCall<State> make_prompt(F function) {
  return make_offer<State>(function, [](const Context& context, const auto& result) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(result)>, Messages>) {
      context.push(TP_JSON, {}, result.json());
    } else {
      context.push(TP_JSON, {}, Messages().text(Role::user, result).json());
    }
  });
}

template <class State, class F>
CompleteCall<State> make_completion(F function) {
  using Params = typename Signature<F>::Params;
  return [function](State& state, Typed& typed, Context& context) -> Completions {
    NoArguments none;
    auto given = invoke(static_cast<Params*>(nullptr), function, state, none, typed, context);
    if constexpr (std::same_as<decltype(given), Completions>) {
      return given;
    } else {
      return {std::move(given), {}, false};
    }
  };
}

template <class State, class F>
ListedIf<State> make_listed_if(F function) {
  using Params = typename Signature<F>::Params;
  return [function](State& state, Context& context) -> bool {
    NoArguments none;
    Nothing nothing;
    return invoke(static_cast<Params*>(nullptr), function, state, none, nothing, context);
  };
}

// The arguments of a prompt, from its struct of texts.
template <Described T>
std::string prompt_arguments() {
  std::string out = "[";
  const T initial{};
  const auto add = [&](const auto& field) {
    using Member = std::remove_cvref_t<decltype(initial.*field.member)>;
    static_assert(
        std::same_as<Member, std::string> || std::same_as<Member, std::optional<std::string>>,
        "toolpost: the arguments of a prompt are texts");
    if (out.back() != '[') out += ',';
    out += R"({"name":)";
    write_string(out, field.name);
    if (!field.description.empty()) {
      out += R"(,"description":)";
      write_string(out, field.description);
    }
    const bool required = !is_optional<Member> && default_of(field, initial).empty();
    out += required ? R"(,"required":true})" : "}";
  };
  std::apply([&](const auto&... field) { (add(field), ...); }, T::toolpost_fields());
  return out + "]";
}

template <class State>
std::string describe_offer(const OfferEntry<State>& entry, std::string_view uri_key) {
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

template <class State>
std::string describe_offers(const std::vector<OfferEntry<State>>& entries, std::string_view uri_key,
                            State& state, Context& context) {
  std::string out = "[";
  for (const auto& entry : entries) {
    if (entry.listed_if && !entry.listed_if(state, context)) continue;
    if (out.back() != '[') out += ',';
    out += describe_offer(entry, uri_key);
  }
  return out + "]";
}

inline std::optional<std::string> percent_decoded(std::string_view text) {
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

// The variables of a URI that the template fits, as a JSON object of texts; nothing where it does
// not. {name} stands for one or more characters without a slash, {+name} for any.
inline std::optional<std::string> match_template(std::string_view pattern, std::string_view uri) {
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
    // Up to where the text between this variable and the next one comes first.
    const std::string_view next = pattern.substr(0, pattern.find('{'));
    std::size_t end = uri.size();
    if (!next.empty()) end = pattern.size() == next.size() ? uri.rfind(next) : uri.find(next, 1);
    if (end == uri.npos || end == 0) return std::nullopt;
    const auto value = percent_decoded(uri.substr(0, end));
    if (!value || (!any && uri.substr(0, end).find('/') != uri.npos)) return std::nullopt;
    if (out.size() > 1) out += ',';
    write_string(out, name);
    out += ':';
    write_string(out, *value);
    uri.remove_prefix(end);
  }
  if (!uri.empty()) return std::nullopt;
  return out + "}";
}

// False: there is no such resource.
template <class State>
bool read_offered(const Offers<State>& offers, std::string_view uri, State& state,
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

template <class State>
bool get_offered(const Offers<State>& offers, std::string_view name, std::string_view arguments,
                 State& state, Context& context) {
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

inline std::string to_text(Completions found) {
  constexpr std::size_t most = 100;
  if (found.values.size() > most) {
    if (!found.total) found.total = found.values.size();
    found.has_more = true;
    found.values.resize(most);
  }
  std::string out = R"({"values":)" + to_json(found.values);
  if (found.total) out += R"(,"total":)" + std::to_string(*found.total);
  return out + (found.has_more ? R"(,"hasMore":true})" : R"(,"hasMore":false})");
}

template <class State>
std::string complete_offered(const Offers<State>& offers, std::string_view request_text,
                             State& state, Context& context) {
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
