// The meaning of a tool's name. Its prefix decides who can see and call the tool.
// router/visibility.h applies the rules.
#pragma once

#include <string_view>

namespace host::tool {

enum class Class { Standard, Internal, Pre, Post, Private, Upstream };

// First match: priv_, pre_, post_, mcp_, _, else standard.
Class classify(std::string_view name);

// standard, internal, pre, post, private, upstream
std::string_view to_string(Class value);

// Names of the host's own tools, whether it currently offers them or not. Plugins cannot use them.
bool is_reserved(std::string_view name);

// The name without the prefix of its class: `x` for x, pre_x, post_x and priv_x.
std::string_view stem(std::string_view name);

}  // namespace host::tool
