// What a tool's name means. The prefix decides who may see and call it; product documentation lists
// the rules, router/visibility.h applies them.
#pragma once

#include <string_view>

namespace host::tool {

enum class Class { Standard, Internal, Pre, Post, Private, Upstream };

// First match: priv_, pre_, post_, mcp_, _, else standard.
Class classify(std::string_view name);

// standard, internal, pre, post, private, upstream
std::string_view to_string(Class value);

// Names of tools that are the host's own, whether it offers them now or not: no plugin can have
// one.
bool is_reserved(std::string_view name);

// The name without the prefix of its class: `x` for x, pre_x, post_x and priv_x.
std::string_view stem(std::string_view name);

}  // namespace host::tool
