// Connects the author's functions with tp.resources/1, tp.prompts/1 and tp.completion/1.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "toolpost/detail/handler.hpp"
#include "toolpost/detail/offer.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

using OfferCall = std::function<void(void* state, std::string_view args, Context&)>;
using CompleteCall = std::function<Completions(void* state, Typed&, Context&)>;
using ListedIf = std::function<bool(void* state, Context&)>;

// An OfferEntry is a resource, a resource template or a prompt.
struct OfferEntry {
  std::string uri;  // the URI or the URI template; empty for a prompt
  std::string name;
  std::string description;
  std::string mime;
  OfferOptions options;
  std::string arguments;  // the arguments of a prompt, as JSON
  OfferCall call;
  ListedIf listed_if;  // null: always listed
  std::map<std::string, CompleteCall, std::less<>> completions;
};

struct Offers {
  std::vector<OfferEntry> resources;
  std::vector<OfferEntry> templates;
  std::vector<OfferEntry> prompts;
  bool completes = false;
};

template <class State, class F, class Give>
OfferCall make_offer(F function, Give give) {
  using Params = typename Signature<F>::Params;
  static_assert(!ArgumentsIn<State, Nothing, Params>::pends,
                "toolpost: a resource or prompt is answered by its function's return");
  return [function, give](void* of, std::string_view text, Context& context) {
    State& state = *static_cast<State*>(of);
    auto arguments = read_object<ArgumentsOf<State, F>>(text, "argument");
    Nothing nothing;
    give(context,
         invoke(static_cast<Params*>(nullptr), function, state, arguments, nothing, context));
  };
}

// Wraps a function that returns Contents, a text or a struct. A struct becomes JSON. If the
// function returns a text or a struct, the contents have the resource's media type.
template <class State, class F>
OfferCall make_read(F function, const std::string& mime) {
  return make_offer<State>(function, [mime](const Context& context, const auto& result) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(result)>, Contents>) {
      result.push_to(context, mime);
    } else if constexpr (Described<std::remove_cvref_t<decltype(result)>>) {
      context.push(TP_TEXT, mime, json_of(result));
    } else {
      context.push(TP_TEXT, mime, result);
    }
  });
}

// Wraps a function that returns Messages, or the text of one message of the user.
template <class State, class F>
OfferCall make_prompt(F function) {
  return make_offer<State>(function, [](const Context& context, const auto& result) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(result)>, Messages>) {
      context.push(TP_JSON, {}, result.json());
    } else {
      context.push(TP_JSON, {}, Messages().text(Role::user, result).json());
    }
  });
}

template <class State, class F>
CompleteCall make_completion(F function) {
  using Params = typename Signature<F>::Params;
  return [function](void* of, Typed& typed, Context& context) -> Completions {
    State& state = *static_cast<State*>(of);
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
ListedIf make_listed_if(F function) {
  using Params = typename Signature<F>::Params;
  return [function](void* of, Context& context) -> bool {
    State& state = *static_cast<State*>(of);
    NoArguments none;
    Nothing nothing;
    return invoke(static_cast<Params*>(nullptr), function, state, none, nothing, context);
  };
}

// Writes the list of resources, templates or prompts for a client. `uri_key` is "uri" or
// "uriTemplate". For prompts, `uri_key` is empty.
std::string describe_offers(const std::vector<OfferEntry>& entries, std::string_view uri_key,
                            void* state, Context& context);
// The functions below return false if the plugin has no resource or prompt of this name.
bool read_offered(const Offers& offers, std::string_view uri, void* state, Context& context);
bool get_offered(const Offers& offers, std::string_view name, std::string_view arguments,
                 void* state, Context& context);
// Reads the request and returns the answer of tp.completion/1, as JSON.
std::string complete_offered(const Offers& offers, std::string_view request, void* state,
                             Context& context);

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/offering.ipp"
#endif
